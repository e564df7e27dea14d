/* global SwaggerUIBundle -- the script before this one */

/** Starts the explorer: Swagger UI, with plugins for what it lacks. */

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

/** Plugin: finds operations by words. */
const findOperations = ({ React: { createElement: h } }) => ({
  components: {
    Search: ({ layoutActions, layoutSelectors, specSelectors }) => {
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
    },
  },
  wrapComponents: { FilterContainer: (_, { getComponent }) => getComponent('Search', true) },
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
});

/** Plugin: the samples of an operation, one of which is shown. */
const showSamples = ({ React: { createElement: h, useState } }) => ({
  components: {
    Samples: ({ samples, getComponent }) => {
      const [chosen, choose] = useState(0);
      const Code = getComponent('HighlightCode', true);
      const { lang, source } = samples[chosen];
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
        h(Code, { language: lang === 'Shell' ? 'bash' : 'javascript', canCopy: true }, source),
      );
    },
  },
});

/** Plugin: before the responses of an operation its samples, and after them its errors, folded. */
const foldErrors = ({ React: { createElement: h, Fragment, useState } }) => ({
  components: {
    /** The errors, which are drawn once they are asked for. */
    Errors: ({ Responses, ...props }) => {
      const [isOpen, open] = useState(false);
      return h(
        'details',
        { className: 'errors', onToggle: ({ target }) => open(target.open) },
        h('summary', null, `Errors: ${props.responses.keySeq().join(', ')}`),
        isOpen && h(Responses, { ...props, tryItOutResponse: undefined }),
      );
    },
  },
  wrapComponents: {
    responses: (Responses) =>
      function FoldedResponses(props) {
        const { path, method, specSelectors, getComponent, responses } = props;
        const given = specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples']);
        const errors = responses.filter(isError);
        return h(
          Fragment,
          null,
          given !== undefined && h(getComponent('Samples'), { samples: given.toJS(), getComponent }),
          h(Responses, { ...props, responses: responses.filterNot(isError) }),
          errors.size > 0 && h(getComponent('Errors'), { ...props, responses: errors, Responses }),
        );
      },
  },
});

/** Plugin: whose the token is, beside the button and in the dialog. */
const showOwner = ({ React: { createElement: h, Fragment } }) => ({
  components: { Owner: ({ account }) => h('p', { className: 'owner', role: 'status' }, account) },
  wrapComponents: {
    authorizeBtn:
      (Button, { accountSelectors, getComponent }) =>
      (props) =>
        h(Fragment, null, h(getComponent('Owner'), { account: accountSelectors.sentence() }), h(Button, props)),
    auths:
      (Auths, { accountSelectors, getComponent }) =>
      (props) =>
        h(Fragment, null, h(Auths, props), h(getComponent('Owner'), { account: accountSelectors.sentence() })),
  },
  statePlugins: {
    account: {
      actions: { showAccount: (sentence) => ({ type: 'account_shown', payload: sentence }) },
      reducers: { account_shown: (state, { payload }) => state.set('sentence', payload) },
      selectors: { sentence: (state) => state.get('sentence') ?? '' },
    },
    auth: { wrapActions: { authorize: tellOwner, logout: tellOwner, restoreAuthorization: tellOwner } },
  },
});

const tellOwner =
  (act, { accountActions }) =>
  (payload) => {
    const token = (payload.authorized ?? payload).token?.value; // restored, or given
    accountActions.showAccount('');
    if (token !== undefined) void ownerOf(token).then(accountActions.showAccount);
    return act(payload);
  };

/** Plugin: mends what is wrong. */
const repairs = ({ React: { createElement: h } }) => ({
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
  },
});

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
  plugins: [findOperations, showSamples, foldErrors, showOwner, repairs],
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
});
