/** What a token allows: `read` is GET and HEAD only. */
export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who sent a request, according to its token. */
export interface Caller {
  userId: number;
  tokenId: number;
  scope: Scope;
  /** When the token expires; `null` is never. */
  expiresAt: Date | null;
}
