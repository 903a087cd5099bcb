import type { CommandOutput } from '../core/command.js';
import { type ConfigurationFile, readConfiguration, setValues } from '../core/configuration/configuration.js';
import { type Setting, settings } from '../core/configuration/settings.js';
import { exitCode, Failure, isFailure } from '../core/failure.js';
import { configurationUnusable, usageMistyped, usageWrong, wordMissing } from '../core/failures.js';
import { closest } from '../core/text/closest.js';
import { printable, quoted } from '../core/text/printable.js';
import { below } from '../core/text/system.js';
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
  const before = found === undefined ? '{}' : Buffer.from(found.bytes).toString();
  const members: Record<string, unknown> = JSON.parse(before);
  const indent = /\n([ \t]+)"/.exec(before)?.[1] ?? 2;
  try {
    const value = given === undefined ? undefined : setting.read(given, setting.key);
    const text = `${JSON.stringify({ ...members, [setting.key]: value }, null, indent)}\n`;
    checkText(below(folder, 'config.json'), text);
    if (members[setting.key] !== value) await world.writeConfiguration(text);
  } catch (error) {
    if (!isFailure(error) || error.code !== 'configuration_unusable') throw error;
    throw error.withRemedy(`Nothing was changed. What it is now: postern config get ${setting.key}`);
  }
  const variable = world.env[setting.variable] ?? '';
  if (variable !== '') world.tell(`Note: ${setting.variable} is set, and goes before this.`);
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

/** Is the whole of it valid, and of use? @throws Failure `configuration_unusable` */
function checkText(path: string, text: string): void {
  const file = { path, bytes: Buffer.from(text) };
  readConfiguration(file, {});
  const { value } = setValues(file, {}).get('clientMetadataUrl') ?? {};
  try {
    if (typeof value === 'string') checkAddress(value);
  } catch (error) {
    if (!isFailure(error)) throw error;
    throw configurationUnusable('clientMetadataUrl', `no server would take it. ${error.message.replace(/\.$/, '')}`);
  }
}
