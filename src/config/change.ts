import type { CommandOutput } from '../core/command.js';
import { type ConfigurationFile, readConfiguration, setValues } from '../core/configuration/configuration.js';
import { type Setting, type SettingValue, settings } from '../core/configuration/settings.js';
import { exitCode, Failure, isFailure } from '../core/failure.js';
import { closest } from '../core/text/closest.js';
import { closeBrace, comma, openBrace, skipName, skipSpace, skipValue, textAt } from '../core/text/json-scan.js';
import { printable, quoted } from '../core/text/printable.js';
import { below } from '../core/text/system.js';
import { configurationUnusable, usageMistyped, usageWrong, wordMissing } from '../core/usage-failures.js';
import { checkAddress } from '../oauth/client-metadata/client-id.js';

const help = 'postern config --help';

export interface ConfigWorld extends CommandOutput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration file as it is, and the folder where it would be. @throws Failure `configuration_unusable` */
  readonly configurationFile: () => { readonly folder: string; readonly found: ConfigurationFile };
  /** Replaces that file as a whole. @throws Failure `file_unwritable` */
  readonly writeConfiguration: (text: string) => Promise<void>;
  /** Has a person change a text in the program that VISUAL or EDITOR names: the new one, and the copy it stands in. */
  readonly editText: (text: string) => Promise<EditedText>;
}

export interface EditedText {
  readonly text: string;
  readonly path: string;
  /** Removes the copy. */
  readonly remove: () => Promise<void>;
}

/** @throws Failure `usage_wrong` */
export function settingNamed(key: string | undefined): Setting {
  if (key === undefined) throw wordMissing('Which setting? Name its key.', 'config', 'postern config get store');
  const setting = settings.find((one) => one.key === key);
  if (setting !== undefined) return setting;
  if (key === 'clients' || key === 'clientCertificates') {
    throw usageWrong(`${key} is a list: change it in the file, with postern config edit.`, help);
  }
  const keys = settings.map((one) => one.key);
  // Most know a setting by its option, whose name says no unit.
  const meant = closest(key, keys) ?? keys.find((one) => key.length > 2 && one.startsWith(key));
  const message = `There is no setting ${quoted(key, 80)}.`;
  throw meant === undefined
    ? usageWrong(message, 'postern config')
    : usageMistyped(message, meant, { typed: key, meant });
}

/**
 * Sets one member of the file, or takes it out, after the whole of it was found to be valid.
 * @param given What was typed; undefined: taken out.
 * @throws Failure `usage_wrong`, `configuration_unusable`, `file_unwritable`
 */
export async function change(world: ConfigWorld, setting: Setting, given: string | undefined): Promise<void> {
  const { folder, found } = world.configurationFile();
  readConfiguration(found, {}); // what is broken is not changed
  const value = given === undefined ? undefined : JSON.stringify(readGiven(setting, given));
  const before = found === undefined ? undefined : Buffer.from(found.bytes).toString();
  const text = withMember(before ?? '{}', setting.key, value);
  checkText(below(folder, 'config.json'), text);
  if (text !== (before ?? '{}')) await world.writeConfiguration(text.endsWith('\n') ? text : `${text}\n`);
  const variable = world.env[setting.variable] ?? '';
  if (variable !== '') world.tell(`Note: ${setting.variable} is set, and goes before this.`);
}

/** What was typed, as the setting takes it. @throws Failure `configuration_unusable` */
function readGiven(setting: Setting, given: string): SettingValue {
  try {
    const value = setting.read(given, setting.key);
    checkUse(setting.key, value);
    return value;
  } catch (error) {
    if (!isFailure(error)) throw error;
    throw error.withRemedy(`Nothing was changed. What it is now: postern config get ${setting.key}`);
  }
}

/** A person changes a copy; what is not valid does not replace the file. @throws Failure `configuration_unusable` */
export async function edit(world: ConfigWorld): Promise<void> {
  const { folder, found } = world.configurationFile();
  const before = found === undefined ? '{\n}\n' : Buffer.from(found.bytes).toString();
  const edited = await world.editText(before);
  if (edited.text === before) {
    await edited.remove();
    world.tell('Nothing was changed.');
    return;
  }
  try {
    checkText(edited.path, edited.text);
    const set = setValues({ path: edited.path, bytes: Buffer.from(edited.text) }, {});
    for (const [key, { value }] of set) checkUse(key, value);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure({
      code: 'configuration_unusable',
      exit: exitCode.usage,
      message: `Nothing was changed: ${error.message}`,
      remedy: `What you typed is kept in ${printable(edited.path, 300)}; to begin again: postern config edit`,
    });
  }
  await world.writeConfiguration(edited.text);
  await edited.remove();
  world.tell(`Changed ${printable(below(folder, 'config.json'), 300)}`);
}

/** What may stand in the file, and only fails where it is used. @throws Failure `configuration_unusable` */
function checkUse(key: string, value: SettingValue): void {
  if (key !== 'clientMetadataUrl' || typeof value !== 'string') return;
  try {
    checkAddress(value);
  } catch (error) {
    if (!isFailure(error)) throw error;
    throw configurationUnusable(key, `no server would take it. ${error.message.replace(/\.$/, '')}`);
  }
}

function checkText(path: string, text: string): void {
  const file = { path, bytes: Buffer.from(text) };
  readConfiguration(file, {});
  setValues(file, {});
}

/** Longest name of a setting that is looked at, in bytes. */
const longestName = 256;

interface Member {
  readonly name: string;
  readonly from: number;
  readonly valueAt: number;
  readonly end: number;
}

/**
 * A JSON object's text with one member set, or taken out; all else stays as it is, to the byte. The text is a JSON object
 * with no name twice.
 * @param value As JSON; undefined: taken out.
 */
export function withMember(text: string, name: string, value: string | undefined): string {
  const bytes = Buffer.from(text);
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== openBrace) throw new Error('a configuration is an object');
  const members = membersOf(bytes, start);
  const at = members.findIndex((member) => member.name === name);
  const [before, member, after] = [members[at - 1], members[at], members[at + 1]];
  const splice = (from: number, to: number, put: string) =>
    Buffer.concat([bytes.subarray(0, from), Buffer.from(put), bytes.subarray(to)]).toString();
  if (value !== undefined) {
    if (member !== undefined) return splice(member.valueAt, member.end, value);
    const last = members.at(-1);
    const line = `${JSON.stringify(name)}: ${value}`;
    if (last === undefined) return splice(start + 1, skipSpace(bytes, start + 1), `\n  ${line}\n`);
    // As the last one is set off from what stands before it.
    const gap = bytes.subarray(members.at(-2)?.end ?? start + 1, last.from).toString();
    const blanks = /(\s*)$/.exec(gap)?.[1] ?? '';
    return splice(last.end, last.end, `,${blanks}${line}`);
  }
  if (member === undefined) return text;
  if (after !== undefined) return splice(member.from, after.from, '');
  if (before !== undefined) return splice(before.end, member.end, '');
  return splice(start + 1, skipSpace(bytes, member.end), '');
}

function membersOf(bytes: Uint8Array, objectAt: number): readonly Member[] {
  const members: Member[] = [];
  let from = skipSpace(bytes, objectAt + 1);
  while (bytes[from] !== closeBrace) {
    const valueAt = skipName(bytes, from);
    const end = skipValue(bytes, valueAt);
    members.push({ name: textAt(bytes, from, longestName), from, valueAt, end });
    from = skipSpace(bytes, end);
    if (bytes[from] === comma) from = skipSpace(bytes, from + 1);
  }
  return members;
}
