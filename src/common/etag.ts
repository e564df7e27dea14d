import { hash } from 'node:crypto';

/** A strong entity tag for a text (RFC 9110, 8.8.3). */
export const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

const ENTITY_TAG = /(W\/)?("[^"]*")/g;

/** The entity tags of a header's list. @param weakToo whether weak ones count, as their strong form */
export const tagsIn = (header: string, weakToo: boolean): string[] =>
  [...header.matchAll(ENTITY_TAG)].flatMap(([, weak, tag]) => (weak === undefined || weakToo ? [tag!] : []));

const isAny = (header: string) => header.trim() === '*';

/** Whether an `If-None-Match` has the tag (RFC 9110, 13.1.2). */
export const hasTag = (ifNoneMatch: string, etag: string): boolean =>
  isAny(ifNoneMatch) || tagsIn(ifNoneMatch, true).includes(etag);

/** Whether an `If-Match` has the tag (RFC 9110, 13.1.1). A weak tag never matches. */
export const hasStrongTag = (ifMatch: string, etag: string): boolean =>
  isAny(ifMatch) || tagsIn(ifMatch, false).includes(etag);
