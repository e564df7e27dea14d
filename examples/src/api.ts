import { createClient } from 'wins-client';

/** The client, with the token that the user signed in with. */
export const wins = createClient({
  baseUrl: import.meta.env.VITE_WINS_URL ?? 'http://127.0.0.1:3000',
  token: () => localStorage.getItem('token'),
  onUnauthenticated: signOut,
});

/** Forgets the token, wherever a 401 came from. What waits to be sent stays, for the next time. */
export function signOut(): void {
  localStorage.removeItem('token');
  location.reload();
}
