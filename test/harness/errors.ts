/** What the service refuses with, each as an answer to compare with `toEqual`: the status and the whole body. */
const refusal = (status: number, code: string, error: string, extra: object = {}) =>
  expect.objectContaining({ status, body: { error, code, request_id: expect.any(String), ...extra } });

/** What can be wrong with a field: the field, the fault's code (and which of its messages), and what that says after the field. */
const FAULTS = {
  'tag required': 'must be an object',
  'tag.name required': 'is required',
  'tag.name invalid_type': 'must be a string',
  'tag.name blank': 'must not be blank',
  'tag.name too_long': 'must have at most 30 characters',
  'tag.name invalid_characters': 'must not have control characters',
  'tag.name invalid_characters of order': 'must not have line separators or marks of direction',
  'tag.name taken': 'is already taken',
  'space required': 'must be an object',
  'space.name required': 'is required',
  'space.name invalid_type': 'must be a string',
  'space.name blank': 'must not be blank',
  'space.name too_long': 'must have at most 100 characters',
  'space.name invalid_characters': 'must not have control characters',
  'space.name invalid_characters of order': 'must not have line separators or marks of direction',
  'space.emoji invalid_type': 'must be a string or null',
  'space.emoji not_an_emoji': 'must be exactly one emoji',
  'space.position invalid_type': 'must be an integer',
  'space.position out_of_range': 'must be from -2147483648 to 2147483647',
  'page not_an_integer': 'must be an integer',
  'per_page not_an_integer': 'must be an integer',
} as const;

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
    'The database was lost during this request, and the change may have been made: check before you retry',
  ),
  draining: refusal(503, 'draining', 'This instance is about to stop; send requests to another'),
  /** 422 with exactly these faults, in this order. */
  invalid: (...names: (keyof typeof FAULTS)[]) =>
    refusal(422, 'validation_failed', 'The request has invalid fields', {
      details: names.map((name) => {
        const [field = '', code] = name.split(' ');
        return { field, code, message: `${field} ${FAULTS[name]}` };
      }),
    }),
};
