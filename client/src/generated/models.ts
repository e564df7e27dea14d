// Generated from openapi.json by `npm run client:types`; changes here are lost.

import type { components } from './document.js';

export type Health = components['schemas']['Health'];
export type Limit = components['schemas']['Limit'];
export type Limits = components['schemas']['Limits'];
export type Account = components['schemas']['Account'];
export type Token = components['schemas']['Token'];
export type TokenInput = components['schemas']['TokenInput'];
export type CreateTokenRequest = components['schemas']['CreateTokenRequest'];
export type IssuedToken = components['schemas']['IssuedToken'];
export type Space = components['schemas']['Space'];
export type SpaceInput = components['schemas']['SpaceInput'];
export type CreateSpaceRequest = components['schemas']['CreateSpaceRequest'];
export type SpaceChanges = components['schemas']['SpaceChanges'];
export type UpdateSpaceRequest = components['schemas']['UpdateSpaceRequest'];
export type OrderInput = components['schemas']['OrderInput'];
export type OrderSpacesRequest = components['schemas']['OrderSpacesRequest'];
export type Tag = components['schemas']['Tag'];
export type TagInput = components['schemas']['TagInput'];
export type TagRequest = components['schemas']['TagRequest'];
export type MergeInput = components['schemas']['MergeInput'];
export type MergeTagRequest = components['schemas']['MergeTagRequest'];
export type DeletedTags = components['schemas']['DeletedTags'];
export type SpaceOfWin = components['schemas']['SpaceOfWin'];
export type TagOfWin = components['schemas']['TagOfWin'];
export type Win = components['schemas']['Win'];
export type WinsCount = components['schemas']['WinsCount'];
export type WinInput = components['schemas']['WinInput'];
export type CreateWinRequest = components['schemas']['CreateWinRequest'];
export type WinUpdate = components['schemas']['WinUpdate'];
export type BatchInput = components['schemas']['BatchInput'];
export type BatchWinsRequest = components['schemas']['BatchWinsRequest'];
export type WrittenWins = components['schemas']['WrittenWins'];
export type WinChanges = components['schemas']['WinChanges'];
export type UpdateWinRequest = components['schemas']['UpdateWinRequest'];
export type Deleted = components['schemas']['Deleted'];
export type Changes = components['schemas']['Changes'];
