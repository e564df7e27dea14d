import { createHash } from 'node:crypto';
import { createToken } from '../../src/auth/token.js';
import { startApp, type TestApp } from '../harness/app.js';
import { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { Workshop } from '../harness/processes.js';
import { Relay } from '../harness/relay.js';
import { untilRefused } from '../harness/revocation.js';

/** Tokens where there is more than one instance, and what of them goes to the database. */

const sha256 = (text: string) => createHash('sha256').update(text).digest();

let app: TestApp;
let ann: Person;
let workshop: Workshop;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  workshop = new Workshop();
});
afterEach(() => workshop.clean());

it('a revoked token is refused within a second, by every instance', async () => {
  const other = await workshop.serve({ DATABASE_URL: process.env.TEST_DATABASE_URL });
  const { body: made } = await app
    .as(ann)
    .post<{ id: number; token: string }>('/api/v1/tokens', { token: { name: 'x' } });
  const ask = [app.url, other.url].map((url) => () => new Client(url, made.token).get('/api/v1/tags'));
  for (const request of ask) expect((await request()).status).toBe(200);
  expect((await app.as(ann).delete(`/api/v1/tokens/${made.id}`)).status).toBe(204);
  await Promise.all(ask.map((request) => untilRefused(request)));
  expect((await new Client(other.url, ann.token).get('/api/v1/tags')).status).toBe(200);
});

it('a token is looked up by its digest and never sent to PostgreSQL, and a typo is not looked up at all', async () => {
  const relay = await Relay.start(process.env.TEST_DATABASE_URL!);
  const behind = await workshop.serve({ NODE_ENV: 'test', DATABASE_URL: relay.url });
  const tokens = [ann.token, createToken(), await app.make.token(ann.id, { expiresAt: new Date(0) })];
  const [known] = tokens as [string];
  const typo = known.slice(0, -1) + (known.endsWith('0') ? '1' : '0');
  let sent = Buffer.alloc(0);
  relay.onSent = (chunk) => (sent = Buffer.concat([sent, chunk]));
  try {
    for (const token of [...tokens, typo]) await new Client(behind.url, token).get('/api/v1/me');
    expect(tokens.map((token) => sent.includes(sha256(token)))).toEqual([true, true, true]);
    expect(sent.includes(sha256(typo))).toBe(false);
    expect(sent.toString('latin1')).not.toMatch(/wins_[0-9a-f]{8}/);
  } finally {
    await relay.stop();
  }
});
