/**
 * A value as one line of JSON in which every character that is not printable ASCII is `\u`-escaped: no byte of it can
 * steer a terminal, and any JSON parser gives back what was put in.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
