import { basename, dirname } from 'node:path';
import { Failure } from '../../core/failure.js';
import { defaultAccount } from '../../core/records.js';
import { fitted, inColumnsOrStacked, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { resultJson, resultLine } from '../../login/logout/logout.command.js';
import { fullName } from '../../login/status/login-status.js';
import { failureJson } from '../../login/status/render.js';
import { undoneLine } from '../../setup/render.js';
import type { Context } from '../context.js';
import type { Written } from './plan.js';
import type { TakenBack } from './take-back.js';

const shown = (text: string) => printable(text, 300);

/** All that would be taken back, for a person. */
export function planLines(written: Written, look: Look): readonly string[] {
  const { entries, shims, logins, providers, registrations, clientKeys, orphans, files } = written;
  const secrets = [
    ...(registrations === 0 ? [] : [counted(registrations, 'client registration')]),
    ...(clientKeys.length === 0 ? [] : [counted(clientKeys.length, 'client key')]),
    ...(orphans === 0 ? [] : [`${counted(orphans, 'secret')} without a login`]),
  ];
  const rows = entries.map(({ record }) => [record.program, shown(record.server), shown(record.path)]);
  const all = logins.map((login) => [shown(fullName(login)), login.name === undefined ? '' : shown(login.server)]);
  const atProviders = providers.map(({ issuer, account, identity = '' }) => [
    shown(account === defaultAccount ? issuer : `${issuer} (account ${account})`),
    shown(identity),
  ]);
  const lines = [
    ...block(look, 'Entries in other programs’ files', inColumnsOrStacked(indented(look), rows)),
    ...block(
      look,
      'Programs written for others (shims)',
      shims.map(({ path }) => shown(path)),
    ),
    ...block(look, 'Logins, revoked at their authorization servers', inColumnsOrStacked(indented(look), all)),
    ...block(look, 'Logins at companies’ providers, revoked there', inColumnsOrStacked(indented(look), atProviders)),
    ...block(look, 'Kept with them', secrets),
    ...byFolder(files).flatMap(([folder, names]) =>
      block(
        look,
        `Files and folders of postern itself, in ${shown(folder)}`,
        wrapped(names.map(shown).join(', '), look.width - 2),
      ),
    ),
  ];
  return lines.length === 0
    ? ['There is nothing here that postern wrote.']
    : ['This is what postern wrote here:', ...lines];
}

/** The files of each folder, by their names there. */
function byFolder(files: readonly string[]): readonly (readonly [folder: string, names: readonly string[]])[] {
  const folders = [...new Set(files.map((file) => dirname(file)))];
  return folders.map((folder) => [
    folder,
    files.filter((file) => dirname(file) === folder).map((file) => basename(file)),
  ]);
}

const indented = (look: Look): Look => ({ ...look, width: look.width - 2 });

function block(look: Look, title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const titles = fitted(title, look.width).map((line) => toned(look, 'strong', line));
  return ['', ...titles, ...lines.map((line) => `  ${line}`)];
}

export function planJson({ entries, shims, logins, providers, registrations, clientKeys, orphans, files }: Written) {
  return {
    entries: entries.map(({ record: { program, server, path: file } }) => ({ program, server, file })),
    shims: shims.map(({ path }) => path),
    logins: logins.map(({ name = null, server, account }) => ({ name, server, account })),
    providers: providers.map(({ issuer, clientId, account }) => ({ issuer, clientId, account })),
    registrations,
    clientKeys: clientKeys.length,
    orphans,
    files,
  };
}

/** What became of it all, for a person; what was not taken back is said with what to do. */
export function takenLines(taken: TakenBack, { look, clock }: Pick<Context, 'look' | 'clock'>): readonly string[] {
  const { entries, shims, ended, leftFiles } = taken;
  const bad = ({ message, remedy }: Failure, what = '') => `${toned(look, 'bad', 'Kept:')} ${what}${message} ${remedy}`;
  const { registrations, clientKeys } = ended;
  const forgotten = [
    ...(registrations === 0 ? [] : [counted(registrations, 'client registration')]),
    ...(clientKeys === 0 ? [] : [counted(clientKeys, 'client key')]),
  ];
  return [
    ...entries.map(({ kept, undone }) => (undone instanceof Failure ? bad(undone) : undoneLine(kept.record, undone))),
    ...shims.map(({ path, removed }) =>
      removed
        ? `${shown(path)} was removed.`
        : `${shown(path)} is gone already, or not as postern wrote it; it was left.`,
    ),
    ...ended.logouts.map((result) => resultLine(result, clock.now())),
    ...ended.failures.map(({ login, failure }) => bad(failure, `${shown(fullName(login))}: `)),
    ...ended.left.map(({ failure }) => bad(failure)),
    ...(forgotten.length === 0 ? [] : [`Forgotten, too: ${forgotten.join(' and ')}.`]),
    ...fileLines(leftFiles),
  ];
}

function fileLines(left: readonly string[] | undefined): readonly string[] {
  if (left === undefined) return [];
  if (left.length === 0) return ['postern’s own files and folders were removed.'];
  const others = left.map((path) => `  ${shown(path)}`);
  return ['postern’s own files were removed. In their folders is left what is not known to be postern’s:', ...others];
}

export function takenJson({ entries, shims, ended, leftFiles }: TakenBack) {
  return {
    entries: entries.map(({ kept: { record }, undone }) => ({
      program: record.program,
      server: record.server,
      file: record.path,
      undone: undone instanceof Failure ? null : undone,
      failure: undone instanceof Failure ? failureJson(undone) : null,
    })),
    shims,
    logouts: ended.logouts.map(resultJson),
    failures: ended.failures.map(({ login: { server, account }, failure }) => ({
      server,
      account,
      ...failureJson(failure),
    })),
    forgotten: { registrations: ended.registrations, clientKeys: ended.clientKeys },
    left: ended.left.map(({ item, failure }) => ({ store: item.store, ...failureJson(failure) })),
    filesRemoved: leftFiles !== undefined,
    leftFiles: leftFiles ?? [],
  };
}

/** What of the program stays, and what removes it. */
export function packageLine({ programs: { machine } }: Written): string {
  const { node, script, lasts } = machine.start;
  if (script === undefined)
    return `The program itself stays: ${shown(node)}. What installed it removes it; if that was you, remove the file.`;
  if (lasts === 'cache')
    return 'The program itself is in a cache of its package manager; there is nothing to uninstall.';
  if (lasts !== 'checkout') return 'The program itself stays. To remove it, run: npm uninstall -g postern';
  const folder = shown(script.replace(/[\\/]bin[\\/][^\\/]*$/, ''));
  return `The program itself stays in ${folder}. Where npm has linked or installed it from there, run: npm uninstall -g postern`;
}
