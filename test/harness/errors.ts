/** What the service refuses with, each as an answer to compare with `toEqual`: the status and the whole body. */
const refusal = (status: number, code: string, error: string, extra: object = {}) =>
  expect.objectContaining({ status, body: { error, code, request_id: expect.any(String), ...extra } });

type Sentence = [message: string, params?: object];

const WRAPPER = (key: string): Sentence => [`Put the fields into {"${key}": {…}}`];
const REQUIRED: Sentence = ['Is required'];
const NO_TEXT: Sentence = ['Must be a string', { expected: 'string' }];
const NO_INTEGER: Sentence = ['Must be an integer', { expected: 'integer' }];
const BLANK: Sentence = ['Must not be blank'];
const LONGER_THAN = (max: number): Sentence => [`Must have at most ${max} characters`, { max }];
const CONTROLS: Sentence = ['Must not have control characters'];
const ORDER: Sentence = ['Must not have line separators or marks of direction'];

/** What can be wrong with a field: the field, the fault's code (and which of its messages), and what comes with it. */
const FAULTS = {
  'tag wrapper_missing': WRAPPER('tag'),
  'tag.name required': REQUIRED,
  'tag.name invalid_type': NO_TEXT,
  'tag.name blank': BLANK,
  'tag.name too_long': LONGER_THAN(30),
  'tag.name invalid_characters': CONTROLS,
  'tag.name invalid_characters of order': ORDER,
  'space wrapper_missing': WRAPPER('space'),
  'space.name required': REQUIRED,
  'space.name invalid_type': NO_TEXT,
  'space.name blank': BLANK,
  'space.name too_long': LONGER_THAN(100),
  'space.name invalid_characters': CONTROLS,
  'space.name invalid_characters of order': ORDER,
  'space.emoji invalid_type': ['Must be a string or null', { expected: 'string' }],
  'space.emoji not_an_emoji': ['Must be exactly one emoji'],
  'space.position invalid_type': NO_INTEGER,
  'space.position out_of_range': [
    'Must be from -2147483648 to 2147483647',
    { min: -2_147_483_648, max: 2_147_483_647 },
  ],
  'page not_an_integer': ['Must be an integer'],
  'per_page not_an_integer': ['Must be an integer'],
} satisfies Record<string, Sentence>;

/** A fault as it is sent. */
export const fault = (field: string, code: string, [message, params]: Sentence) => ({
  field,
  code,
  message,
  ...(params && { params }),
});

/** 422 with these faults. */
export const invalid = (details: object[]) =>
  refusal(422, 'validation_failed', 'The request has invalid fields', { details });

export const errors = {
  malformed: refusal(400, 'bad_request', 'The request is malformed'),
  notJson: refusal(400, 'invalid_json', 'The body is not valid JSON'),
  nestedTooDeeply: refusal(400, 'invalid_json', 'The body is nested too deeply'),
  unauthenticated: refusal(401, 'unauthenticated', 'Authentication required'),
  spaceLimit: refusal(402, 'plan_limit_reached', 'Your plan is limited to 3 spaces', {
    upgrade_url: 'https://example.com/upgrade',
  }),
  readOnly: refusal(403, 'insufficient_scope', 'This token may only read'),
  noRoute: refusal(404, 'not_found', 'Route not found'),
  noTag: refusal(404, 'not_found', 'Tag not found'),
  noSpace: refusal(404, 'not_found', 'Space not found'),
  timedOut: refusal(408, 'request_timeout', 'The request took too long to arrive'),
  bodyTooLarge: refusal(413, 'body_too_large', 'The body is too large'),
  notJsonType: refusal(415, 'unsupported_media_type', 'The body must be application/json'),
  notUtf8: refusal(415, 'unsupported_media_type', 'The body must be in UTF-8'),
  headersTooLarge: refusal(431, 'headers_too_large', 'The headers are too large'),
  unavailable: refusal(503, 'unavailable', 'The service is temporarily unavailable; nothing was changed'),
  maybeDone: refusal(
    503,
    'unavailable',
    'The database was lost during this request, and the change may have been made. ' +
      'A POST is safe to repeat with the same Idempotency-Key; otherwise check first',
  ),
  draining: refusal(503, 'draining', 'This instance is about to stop; send requests to another'),
  /** 422 with exactly these faults, in this order. */
  invalid: (...names: (keyof typeof FAULTS)[]) =>
    invalid(
      names.map((name) => {
        const [field = '', code = ''] = name.split(' ');
        return fault(field, code, FAULTS[name]);
      }),
    ),
  /** 422 because the tag with this id has the name. */
  taken: (id: unknown) => invalid([fault('tag.name', 'taken', ['Is already taken', { id }])]),
};
