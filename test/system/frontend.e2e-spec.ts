import { Demo, examplesIn, promisedOutput } from '../frontend-examples.js';
import { Workshop } from '../harness/processes.js';

// Processes take seconds to start, and many more where the machine is busy.
import.meta.jest.setTimeout(90_000);

const workshop = new Workshop();
afterAll(() => workshop.clean());

describe.each([
  ['docs/frontend.md', 'js fetch'],
  ['docs/frontend.md', 'js client'],
  ['client/README.md', 'js'],
])('In %s, "%s"', (file, kind) => {
  const [preamble, ...examples] = examplesIn(file).filter((example) => example.kind === kind);
  let demo: Demo;
  beforeAll(async () => {
    demo = await Demo.start(workshop);
  });

  it('begins with what the others suppose', async () => {
    expect(await demo.runModule(preamble!.code)).toEqual(promisedOutput(preamble!.code));
  });

  it.each(examples)('prints what is promised below "$title"', async ({ title, code }) => {
    const promised = promisedOutput(code);
    expect(promised).not.toEqual([]);
    const run = async (url?: string) => {
      const lines = await demo.runModule(preamble!.code + code, url);
      expect(lines).toEqual([...promisedOutput(preamble!.code), ...promised]);
    };
    if (title.endsWith('429')) expect(await demo.refuseFirst(run)).toEqual([429, 200]);
    else await run();
  });
});
