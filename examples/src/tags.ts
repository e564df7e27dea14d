import { WinsError, type Tag } from 'wins-client';
import { wins } from './api.js';
import { copy } from './copy.js';
import { messageOf, messageOfFault } from './messages.js';
import { find, make, notify } from './page.js';

/** The tags, renamed in place. Where the name belongs to another tag, the page offers to merge the two. */

/** Shows the tags, and calls `onChange` when one was changed here. */
export function showTags(onChange: () => void): void {
  if (find('#tags').contains(document.activeElement)) return; // somebody is typing
  const tags = [...copy.tags.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  find('#tags').replaceChildren(...tags.map((tag) => make('li', {}, formOf(tag, onChange))));
}

function formOf({ id, name, wins_count }: Tag, onChange: () => void): HTMLFormElement {
  const input = make('input', { value: name, ariaLabel: `Name of ${name}` });
  const fault = make('small', { className: 'fault' });
  const form = make('form', {}, input, make('button', {}, 'Rename'), `${wins_count}`, fault);

  const run = async (change: () => Promise<Tag>) => {
    fault.replaceChildren();
    try {
      await change();
      input.blur();
      onChange();
    } catch (error) {
      const [wrong] = error instanceof WinsError ? error.details : [];
      if (wrong === undefined) return notify(messageOf(error));
      fault.append(messageOfFault(wrong), ' ');
      const other = wrong.code === 'taken' ? copy.tags.get(wrong.params?.id ?? 0) : undefined;
      if (other !== undefined) fault.append(mergeButton(other));
    }
  };
  const mergeButton = (other: Tag) => {
    const button = make('button', { type: 'button' }, `Merge into ${other.name}`);
    button.addEventListener('click', () => {
      button.blur();
      void run(() => wins.mergeTag({ id, tag: { into_id: other.id } }));
    });
    return button;
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur();
    void run(() => wins.renameTag({ id, tag: { name: input.value } }));
  });
  return form;
}
