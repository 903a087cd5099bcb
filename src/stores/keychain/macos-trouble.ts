/** Security.framework's results by their text (SecCopyErrorMessageString) or, where it has none, their number. */
const messages: readonly (readonly [pattern: RegExp, trouble: MacosTrouble])[] = [
  [/interaction is (?:not allowed|required)|-253(?:08|15)\b/i, 'locked'],
  [/user canceled|passphrase you entered is not correct|-128\b|-25293\b/i, 'denied'],
  [/keychain could not be found|no keychain is available|-25(?:291|294|307)\b/i, 'no_collection'],
];

/** `locked`: it may not show its prompt (SSH, a background job). `denied`: a person said no. */
export type MacosTrouble = 'locked' | 'denied' | 'no_collection';

/** What the macOS Keychain's refusal means, by the message that the package passes on; undefined for any other. */
export function macosTrouble(message: string): MacosTrouble | undefined {
  return messages.find(([pattern]) => pattern.test(message))?.[1];
}
