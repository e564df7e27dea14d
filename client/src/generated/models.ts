// Generated from openapi.json by `npm run client:types`; changes here are lost.

import type { components } from './document.js';

export type Health = components['schemas']['Health'];
export type Limit = components['schemas']['Limit'];
export type Limits = components['schemas']['Limits'];
export type Account = components['schemas']['Account'];
export type Token = components['schemas']['Token'];
export type TokenInput = components['schemas']['TokenInput'];
export type CreateToken = components['schemas']['CreateToken'];
export type IssuedToken = components['schemas']['IssuedToken'];
export type Space = components['schemas']['Space'];
export type SpaceInput = components['schemas']['SpaceInput'];
export type CreateSpace = components['schemas']['CreateSpace'];
export type SpaceChanges = components['schemas']['SpaceChanges'];
export type UpdateSpace = components['schemas']['UpdateSpace'];
export type Tag = components['schemas']['Tag'];
export type TagInput = components['schemas']['TagInput'];
export type TagBody = components['schemas']['TagBody'];
export type SpaceOfWin = components['schemas']['SpaceOfWin'];
export type TagOfWin = components['schemas']['TagOfWin'];
export type Win = components['schemas']['Win'];
export type WinInput = components['schemas']['WinInput'];
export type CreateWin = components['schemas']['CreateWin'];
export type WinChanges = components['schemas']['WinChanges'];
export type UpdateWin = components['schemas']['UpdateWin'];
export type Fault = components['schemas']['Fault'];
