import {
  createClient,
  WinsError,
  type Client,
  type ErrorCode,
  type FaultCode,
  type Input,
  type Output,
  type Tag,
} from '../client/src/index.js';
import type { operations } from '../client/src/generated/document.js';

declare function expectType<T>(value: T): void;

/**
 * What the compiler must say of the client's use. Nothing here runs: the type check is the test, and it fails too where
 * an expected error is none.
 */
export async function checkTypes(wins: Client): Promise<void> {
  const tag: Tag = await wins.renameTag({ id: 7, tag: { name: 'Launch' } });
  const space = await wins.createSpace({ space: { name: 'Work', emoji: null } });
  expectType<string | null>(space.emoji);
  expectType<void>(await wins.deleteTag({ id: tag.id }));
  const { items, total } = await wins.listWins(
    { tag: 'Launch', per_page: 100 },
    { signal: AbortSignal.timeout(1_000) },
  );
  for await (const win of wins.listWins()) expectType<string | undefined>(win.tags[0]?.name);
  await wins.getMe({ headers: { 'X-Request-Id': 'mine' } });

  // @ts-expect-error an operation that is not there
  await wins.listTag();
  // @ts-expect-error a field of an answer that is not there
  expectType<string>(tag.title);
  // @ts-expect-error a field of an answer that may be null
  expectType<string>(space.emoji);
  // @ts-expect-error items of another list
  expectType<Tag[]>(items);
  // @ts-expect-error a number
  expectType<string>(total);
  // @ts-expect-error nothing comes back
  expectType<Tag>(await wins.deleteTag({ id: tag.id }));

  // @ts-expect-error the input is missing
  await wins.createTag();
  // @ts-expect-error the key around the fields is missing
  await wins.createTag({ name: 'Launch' });
  // @ts-expect-error a field that is misspelt
  await wins.createTag({ tag: { nam: 'Launch' } });
  // @ts-expect-error a field that is not sent
  await wins.createTag({ tag: { name: 'Launch', wins_count: 3 } });
  // @ts-expect-error a field of another type
  await wins.updateSpace({ id: 7, space: { position: '2' } });
  // @ts-expect-error the id is missing
  await wins.updateSpace({ space: { position: 2 } });
  // @ts-expect-error an id of another type
  await wins.getTag({ id: '7' });
  // @ts-expect-error a query that is misspelt
  await wins.listWins({ perPage: 100 });
  // @ts-expect-error a query of another type
  await wins.listWins({ page: '2' });
  // @ts-expect-error a query where there is none
  await wins.getMe({ page: 2 });
  // @ts-expect-error what is not a list
  for await (const item of wins.getMe()) expectType<unknown>(item);
  // @ts-expect-error the method is the operation's
  await wins.getMe({ method: 'POST' });

  // @ts-expect-error where the service is must be said
  createClient({ token: 'wins_…' });
  // @ts-expect-error a token is text
  createClient({ baseUrl: '', token: 7 });
}

/** Every operation of the document is a method, and but for `changes`, which reads through one, nothing else is. */
export const everyOperation = (wins: Client): Record<keyof operations, unknown> => wins;
export const nothingElse = (operation: Exclude<keyof Client, 'changes'>): keyof operations => operation;

/** The types of one operation have names too. */
export const input: Input<'renameTag'> = { id: 7, tag: { name: 'Launch' } };
export const output = ({ id, name }: Output<'getTag'>): [number, string] => [id, name];
// @ts-expect-error an operation that is not there
export type NoInput = Input<'renameTags'>;

export function checkErrors(error: unknown): void {
  if (!(error instanceof WinsError)) return;
  switch (error.code) {
    case 'plan_limit_reached':
      return expectType<string | undefined>(error.upgradeUrl);
    case 'validation_failed':
      expectType<FaultCode | undefined>(error.details[0]?.code);
      expectType<number | undefined>(error.details[0]?.params?.max);
      return expectType<string | undefined>(error.details[0]?.field);
    case 'unexpected_response':
      return expectType<number>(error.status);
    case 'a_code_to_come':
      return expectType<number | undefined>(error.retryAfter);
    default:
      // @ts-expect-error a property that is not there
      return expectType<string>(error.title);
  }
}

// @ts-expect-error a code is text
export const noCode: ErrorCode = 7;
