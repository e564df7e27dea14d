import { WinsError, type Fault } from 'wins-client';

/** Messages in the user's language, from `code` and `params`. English comes from the service, as does what has no translation. */

type Params = NonNullable<Fault['params']>;

const GERMAN_FAULTS: Record<string, (params: Params) => string> = {
  blank: () => 'Darf nicht leer sein',
  limit_reached: ({ max }) => `Höchstens ${max} sind möglich`,
  not_found: () => 'Ist nicht mehr vorhanden',
  missing: () => 'Es fehlt etwas, das inzwischen dazukam',
  required: () => 'Muss ausgefüllt sein',
  taken: () => 'Ist schon vergeben',
  too_long: ({ max }) => `Höchstens ${max} Zeichen`,
  too_many: ({ max }) => `Höchstens ${max} Einträge`,
};

const GERMAN_ERRORS: Record<string, string> = {
  insufficient_scope: 'Dieses Token darf nur lesen',
  not_found: 'Ist nicht mehr vorhanden',
  plan_limit_reached: 'Ihr Tarif ist ausgeschöpft',
  rate_limited: 'Zu viele Anfragen; bitte warten',
  unavailable: 'Der Dienst ist gerade nicht erreichbar',
};

export let language = localStorage.getItem('language') ?? 'en';

export function setLanguage(chosen: string): void {
  language = chosen;
  localStorage.setItem('language', chosen);
}

export const messageOfFault = ({ code, params = {}, message }: Fault): string =>
  (language === 'de' && GERMAN_FAULTS[code]?.(params)) || message;

/** Of an error that belongs to no field. */
export function messageOf(error: unknown): string {
  const isGerman = language === 'de';
  if (!(error instanceof WinsError)) return isGerman ? 'Keine Verbindung' : 'No connection';
  const [fault] = error.details;
  if (fault !== undefined) return messageOfFault(fault);
  return (isGerman && GERMAN_ERRORS[error.code]) || error.message;
}
