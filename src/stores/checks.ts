import { asObject, type JsonObject, type JsonValue } from '../core/text/json.js';

/** May this be the value of a member? */
export type Check = (value: JsonValue | undefined) => boolean;

export type Checks = Readonly<Record<string, Check>>;

/** The name of the first member that is not as it should be. */
export function wrongMember(object: JsonObject | undefined, checks: Checks): string | undefined {
  return Object.keys(checks).find((name) => !checks[name]?.(object?.[name]));
}

/** An object with such members, one of them required. */
export const objectOf =
  (checks: Checks): Check =>
  (value) =>
    wrongMember(asObject(value ?? null), checks) === undefined;

export const isText: Check = (value) => typeof value === 'string';

export const isTextOrNone: Check = (value) => value === null || isText(value);

/** A whole number from 0 on. */
export const isWhole: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

export const isFlag: Check = (value) => typeof value === 'boolean';

export const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);

/** Milliseconds since 1970; null where it is unknown. */
export const isTime: Check = (value) => value === null || isWhole(value);

export const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);

export const isAuthMethod = oneOf('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt');
