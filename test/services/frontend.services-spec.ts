import { comparable, Demo, examplesIn } from '../frontend-examples.js';
import { Workshop } from '../harness/processes.js';

/** Needs `curl`. */

// Processes take seconds to start, and many more where the machine is busy.
import.meta.jest.setTimeout(90_000);

const workshop = new Workshop();
afterAll(() => workshop.clean());

describe('In docs/frontend.md, curl', () => {
  const [preamble, ...examples] = examplesIn('docs/frontend.md').filter(({ kind }) => kind === 'sh curl');
  let demo: Demo;
  beforeAll(async () => {
    demo = await Demo.start(workshop);
  });

  it.each(examples)('prints what is promised below "$title"', async ({ title, code, answer }) => {
    const promised = comparable(answer);
    const run = async (url?: string) => {
      const { head, body } = comparable(await demo.runShell(preamble!.code + code, url));
      expect(head).toEqual(expect.arrayContaining(promised.head));
      expect(body).toEqual(promised.body);
    };
    if (title.endsWith('429')) expect(await demo.refuseFirst(run)).toEqual([429, 200]);
    else await run();
  });
});
