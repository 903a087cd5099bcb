import { basename, dirname } from 'node:path';
import { Failure } from '../../core/failure.js';
import { defaultAccount } from '../../core/records.js';
import { fitted, inColumnsOrStacked, wrapped } from '../../core/text/layout.js';
import { type Look, toned } from '../../core/text/look.js';
import { counted, printable } from '../../core/text/printable.js';
import { endedJson, keysInWords, resultLine } from '../../login/logout/logout.command.js';
import { fullName } from '../../login/status/login-status.js';
import { failureJson } from '../../login/status/render.js';
import type { KeptRecord } from '../../setup/machine/setup-records.js';
import { undoneLine } from '../../setup/render.js';
import type { Context } from '../context.js';
import type { TakenBack, Written } from './take-back.js';

const shown = (text: string) => printable(text, 300);

/** All that would be taken back, for a person; none: there is nothing. */
export function planLines(written: Written, look: Look): readonly string[] {
  const { entries, shims, logins, providers, orphans, files } = written;
  const inside = { ...look, width: look.width - 2 };
  const rows = entries.map(({ record }) => [record.program, shown(record.server), shown(record.path)]);
  const all = logins.map((login) => [shown(fullName(login)), login.name === undefined ? '' : shown(login.server)]);
  const atProviders = providers.map(({ issuer, account, identity = '' }) => [
    shown(account === defaultAccount ? issuer : `${issuer} (account ${account})`),
    shown(identity),
  ]);
  const secrets = [
    ...keysInWords(written),
    ...(orphans === 0 ? [] : [`${counted(orphans, 'secret')} without a login`]),
  ];
  const filesIn = (folder: string): [string, readonly string[]] => {
    const names = files.filter((file) => dirname(file) === folder).map((file) => shown(basename(file)));
    return [`Files and folders of postern itself, in ${shown(folder)}`, wrapped(names.join(', '), inside.width)];
  };
  const blocks: readonly [title: string, lines: readonly string[]][] = [
    ['Entries in other programs’ files', inColumnsOrStacked(inside, rows)],
    ['Programs written for others (shims)', shims.map(({ path }) => shown(path))],
    ['Logins, revoked at their authorization servers', inColumnsOrStacked(inside, all)],
    ['Logins at companies’ providers, revoked there', inColumnsOrStacked(inside, atProviders)],
    ['Kept with them', secrets],
    ...[...new Set(files.map((file) => dirname(file)))].map(filesIn),
  ];
  return blocks
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([title, lines]) => [
      '',
      ...fitted(title, look.width).map((line) => toned(look, 'strong', line)),
      ...lines.map((line) => `  ${line}`),
    ]);
}

export function planJson({ entries, shims, logins, providers, registrations, clientKeys, orphans, files }: Written) {
  return {
    entries: entries.map(entryJson),
    shims: shims.map(({ path }) => path),
    logins: logins.map(({ name = null, server, account }) => ({ name, server, account })),
    providers: providers.map(({ issuer, clientId, account }) => ({ issuer, clientId, account })),
    ...{ registrations, clientKeys, orphans, files },
  };
}

function entryJson({ record: { program, server, path: file } }: KeptRecord) {
  return { program, server, file };
}

/** What became of it all, for a person, and what to do about what was not taken back. */
export function takenLines(taken: TakenBack, { look, clock }: Pick<Context, 'look' | 'clock'>): readonly string[] {
  const { entries, shims, ended, leftFiles } = taken;
  const forgotten = keysInWords(ended).join(' and ');
  const bad = ({ message, remedy }: Failure, what = '') => `${toned(look, 'bad', 'Kept:')} ${what}${message} ${remedy}`;
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
    ...(forgotten === '' ? [] : [`Forgotten, too: ${forgotten}.`]),
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
  const { registrations, clientKeys } = ended;
  return {
    entries: entries.map(({ kept, undone }) => ({
      ...entryJson(kept),
      undone: undone instanceof Failure ? null : undone,
      failure: undone instanceof Failure ? failureJson(undone) : null,
    })),
    shims,
    ...endedJson(ended),
    forgotten: { registrations, clientKeys },
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
