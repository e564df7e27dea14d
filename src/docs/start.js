/* global SwaggerUIBundle -- the script before this one */

/** Starts the explorer: Swagger UI, with what it lacks for this API added by {@link additions}. */

const dark = matchMedia('(prefers-color-scheme: dark)');
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColorScheme);
followColorScheme();

/** @returns a sentence that says whose the token is, or that it is nobody's */
async function ownerOf(token) {
  try {
    const response = await fetch('api/v1/me', { headers: { Authorization: `Bearer ${token}` } });
    if (response.status === 401) return 'This token is not valid';
    const { email, error } = await response.json();
    return email === undefined ? error : `Signed in as ${email}`;
  } catch {
    return 'The service can’t be reached';
  }
}

/** Whether each word of a search is in the method, path, name or summary of an operation, or in its group. */
const matches = (operation, group, words) => {
  const { summary, operationId } = operation.get('operation').toJS();
  const text = [operation.get('method'), operation.get('path'), operationId, summary, group].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
};

const isError = (_, status) => status >= 400;

/** A plugin of Swagger UI. */
const additions = ({ React: { createElement: h, Fragment, useState } }) => {
  const Search = ({ layoutActions, layoutSelectors, specSelectors }) => {
    const phrase = layoutSelectors.currentFilter();
    return h(
      'div',
      { className: 'wrapper search' },
      h('input', {
        type: 'search',
        placeholder: 'Search operations',
        'aria-label': 'Search operations',
        value: phrase === true ? '' : phrase,
        onChange: ({ target }) => layoutActions.updateFilter(target.value),
      }),
      h('p', { role: 'status' }, specSelectors.taggedOperations().isEmpty() ? 'No operation has these words' : ''),
    );
  };

  const Samples = ({ samples, getComponent }) => {
    const [chosen, choose] = useState(0);
    const Code = getComponent('HighlightCode', true);
    return h(
      'section',
      { className: 'samples', 'aria-label': 'Samples' },
      h(
        'div',
        null,
        samples.map(({ label }, index) =>
          h('button', { key: label, 'aria-pressed': index === chosen, onClick: () => choose(index) }, label),
        ),
      ),
      h(
        Code,
        { language: samples[chosen].lang === 'Shell' ? 'bash' : 'javascript', canCopy: true },
        samples[chosen].source,
      ),
    );
  };

  /** The errors of an operation, which are drawn once they are asked for. */
  const Errors = ({ Responses, ...props }) => {
    const [isOpen, open] = useState(false);
    return h(
      'details',
      { className: 'errors', onToggle: ({ target }) => open(target.open) },
      h('summary', null, `Errors: ${props.responses.keySeq().join(', ')}`),
      isOpen && h(Responses, { ...props, tryItOutResponse: undefined }),
    );
  };

  const Owner = ({ account }) => h('p', { className: 'owner', role: 'status' }, account);

  return {
    components: {
      // Swagger UI has none for the items of an array that have a format.
      JsonSchema_integer_int64: (props) => h(props.getComponent('JsonSchema_string'), props),
    },
    wrapComponents: {
      // Its links are within buttons, which already lead to the same place.
      DeepLink:
        () =>
        ({ text }) =>
          text,
      FilterContainer: () => Search,
      responses: (Responses) =>
        function FoldedResponses(props) {
          const { path, method, specSelectors, getComponent, responses } = props;
          const samples = specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples']);
          const errors = responses.filter(isError);
          return h(
            Fragment,
            null,
            samples !== undefined && h(Samples, { samples: samples.toJS(), getComponent }),
            h(Responses, { ...props, responses: responses.filterNot(isError) }),
            errors.size > 0 && h(Errors, { ...props, responses: errors, Responses }),
          );
        },
      authorizeBtn:
        (Button, { accountSelectors }) =>
        (props) =>
          h(Fragment, null, h(Owner, { account: accountSelectors.sentence() }), h(Button, props)),
      auths:
        (Auths, { accountSelectors }) =>
        (props) =>
          h(Fragment, null, h(Auths, props), h(Owner, { account: accountSelectors.sentence() })),
    },
    fn: {
      opsFilter: (groups, phrase) => {
        const words = phrase.toLowerCase().split(/\s+/);
        return groups
          .map((group, name) =>
            group.update('operations', (operations) => operations.filter((one) => matches(one, name, words))),
          )
          .filterNot((group) => group.get('operations').isEmpty());
      },
    },
    statePlugins: {
      account: {
        actions: { showAccount: (sentence) => ({ type: 'account_shown', payload: sentence }) },
        reducers: { account_shown: (state, { payload }) => state.set('sentence', payload) },
        selectors: { sentence: (state) => state.get('sentence') ?? '' },
      },
      auth: {
        wrapActions: Object.fromEntries(
          ['authorize', 'logout', 'restoreAuthorization'].map((name) => [
            name,
            (act, { accountActions }) =>
              (payload) => {
                const token = (payload.authorized ?? payload).token?.value; // restored, or given
                accountActions.showAccount('');
                if (token !== undefined) void ownerOf(token).then(accountActions.showAccount);
                return act(payload);
              },
          ]),
        ),
      },
    },
  };
};

/** What Swagger UI leaves without a name, and what names it; an element's own name comes first. */
const NAMES = [
  ['.close-modal', () => 'Close'],
  ['[data-param-name] :is(input, select, textarea)', (field) => field.closest('[data-param-name]').dataset.paramName],
  ['.body-param__text', () => 'Request body'],
  ['.examples-select-element', () => 'Example'],
  ['select.content-type', () => 'Media type'],
];

/** Makes up for what a screen reader or a keyboard would miss. */
function complete() {
  for (const [selector, name] of NAMES) {
    for (const element of document.querySelectorAll(selector)) {
      if (!element.hasAttribute('aria-label')) element.setAttribute('aria-label', name(element));
    }
  }
  // Their names are others than what can be read on them.
  for (const button of document.querySelectorAll('.modal-btn.auth')) button.removeAttribute('aria-label');
  for (const code of document.querySelectorAll('pre.microlight')) code.tabIndex = 0; // so that it can be scrolled
}

new MutationObserver(complete).observe(document.querySelector('#explorer'), { childList: true, subtree: true });

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#explorer',
  plugins: [additions],
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
});
