import autocannon from 'autocannon';
import type { Job, Sample } from './load.js';
import { percentile } from './numbers.js';
import type { Call } from './scenarios.js';

/** Milliseconds between two looks of autocannon whether its time is over. */
const LOOK_EVERY = 50;

/** A sample in which connections got fewer answers than this is taken anew, for twice as long, up to so many seconds. */
const ANSWERS_EACH = 2;
const LONGEST = 30;

process.on('message', (job: Job) => {
  run(job).then(
    (sample) => process.send!({ sample }),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});

async function run(job: Job): Promise<Sample> {
  const { url, seconds, connections, beside = [] } = job;
  const all = [...connections, ...beside];
  const times: number[] = [];
  const measured = new Set<autocannon.Client>();
  let connection = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = {
      url,
      connections: all.length,
      duration: seconds,
      sampleInt: LOOK_EVERY,
      setupClient(client: autocannon.Client) {
        if (connection < connections.length) measured.add(client);
        client.setRequests(requests(all[connection++]!));
      },
    };
    autocannon(options, (error, done) => (error ? reject(error) : resolve(done))).on(
      'response',
      (client, _status, _bytes, time) => measured.has(client) && times.push(time),
    );
  });
  if (result.non2xx > 0 || result.errors > 0) {
    const { errors, timeouts } = result;
    throw new Error(`Refused under load: ${JSON.stringify({ statuses: result.statusCodeStats, errors, timeouts })}`);
  }
  if (times.length < connections.length * ANSWERS_EACH && seconds < LONGEST)
    return run({ ...job, seconds: seconds * 2 });
  times.sort((a, b) => a - b);
  return {
    rate: (times.length * 1000) / (result.finish.getTime() - result.start.getTime()),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

function requests(calls: Call[]): autocannon.Request[] {
  return calls.map(({ method, path, body, token }) => ({
    method,
    path,
    body,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { onResponse: (_, text, context) => Object.assign(context, { id: JSON.parse(text).id }) }),
    ...(path.includes('{id}') && {
      setupRequest: (request, context) => ({
        ...request,
        path: path.replace('{id}', 'id' in context ? String(context.id) : ''),
      }),
    }),
  }));
}
