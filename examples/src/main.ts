import type { Input, WinsError } from 'wins-client';
import { signOut } from './api.js';
import { catchUp, copy } from './copy.js';
import { language, messageOf, messageOfFault, setLanguage } from './messages.js';
import { find, make, notify } from './page.js';
import { enqueue, flush, waiting } from './queue.js';
import { showSpaces, spacesInOrder } from './spaces.js';
import { showTags } from './tags.js';

const POLL_MS = 2_000;

const form = find<HTMLFormElement>('#record');
const fields = form.elements as HTMLFormControlsCollection &
  Record<'body' | 'space_id' | 'tag_names', HTMLInputElement | HTMLSelectElement>;

/** Sends what waits, reads what has changed, and shows both. */
async function refresh(): Promise<void> {
  try {
    await flush(showRefusal);
    await catchUp();
    if (find('#notice').textContent === messageOf(new TypeError())) notify('');
  } catch (error) {
    notify(messageOf(error));
  }
  show();
}

function show(): void {
  find('#waiting').replaceChildren(...waiting().map(({ input }) => make('li', {}, `${input.win.body} (not sent yet)`)));
  const newestFirst = [...copy.wins.values()].toSorted(
    (a, b) => b.occurred_on.localeCompare(a.occurred_on) || b.id - a.id,
  );
  find('#wins').replaceChildren(
    ...newestFirst.map(({ body, occurred_on, space, tags }) =>
      make('li', {}, [occurred_on, space.name, body, ...tags.map(({ name }) => `#${name}`)].join(' · ')),
    ),
  );
  const chosen = fields.space_id.value;
  fields.space_id.replaceChildren(...spacesInOrder().map(({ id, name }) => make('option', { value: `${id}` }, name)));
  if (copy.spaces.has(Number(chosen))) fields.space_id.value = chosen;
  showSpaces();
  showTags(() => void refresh());
}

/** Shows what is wrong with a win beside the fields, which are filled with it again. */
function showRefusal(error: WinsError, { win }: Input<'createWin'>): void {
  fields.body.value = win.body;
  fields.tag_names.value = [win.tag_names ?? []].flat().join(', ');
  for (const place of form.querySelectorAll<HTMLElement>('.fault')) {
    place.textContent = error.details
      .filter(({ field }) => field.startsWith(place.dataset.field!))
      .map(messageOfFault)
      .join(', ');
  }
  if (error.details.length === 0) notify(messageOf(error));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  for (const place of form.querySelectorAll('.fault')) place.textContent = '';
  enqueue({
    win: {
      body: fields.body.value,
      space_id: Number(fields.space_id.value),
      occurred_on: new Date().toLocaleDateString('sv'), // the user's own day, as YYYY-MM-DD
      tag_names: fields.tag_names.value.split(',').filter((name) => name.trim() !== ''),
    },
  });
  fields.body.value = fields.tag_names.value = '';
  show();
  void refresh();
});

find('#sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  localStorage.setItem('token', find<HTMLInputElement>('#sign-in input').value);
  location.reload();
});
find('#sign-out').addEventListener('click', signOut);

const choice = find<HTMLSelectElement>('#language');
choice.value = language;
choice.addEventListener('change', () => setLanguage(choice.value));

const isSignedIn = localStorage.getItem('token') !== null;
find('#sign-in').hidden = isSignedIn;
find('main').hidden = !isSignedIn;
if (isSignedIn) {
  addEventListener('online', () => void refresh());
  setInterval(() => void refresh(), POLL_MS);
  void refresh();
}
