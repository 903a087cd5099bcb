import { isFailure } from '../../core/failure.js';
import type { Terminal } from '../../core/ports.js';
import type { EngineEntry, SharedEngine } from '../engines/engine.js';
import { askUntilRight, choosePassphrase } from '../sealed-files/key-source.js';
import type { Stretch } from '../sealed-files/sealed-file.js';
import { readIfThere } from '../state/private-file.js';
import { replacePrivateFile } from '../state/safe-file.js';
import {
  begunWithKeyFiles,
  saltsChanged,
  saltsDamaged,
  sharedItemNewer,
  sharedKeyMissing,
  sharedPassphraseWrong,
  sharedUncertain,
} from './failures.js';
import { isItemName, readableIn, type SharedKeys, saltsBelow, sharedKeysOf } from './items.js';
import { materialBy, newSalts, type Passphrase, parseSalts, type Salts } from './salts.js';
import { maxUnknown } from './turn.js';

export interface PassphraseOptions {
  readonly engine: SharedEngine;
  readonly namespace: string;
  readonly terminal: Terminal;
  /** Where this machine keeps the salts that it has used, to know others from them. */
  readonly saltsPath: string;
  readonly isReadOnly: boolean;
  readonly stretch: Stretch;
  readonly signal: AbortSignal;
}

/**
 * The keys of a fleet from what a person types. Undefined where nobody has chosen passphrases yet.
 * @param begins Let the person choose them then; the salts are written before this returns.
 * @throws Failure of the engine, `store_key_missing`, `store_key_wrong`, `store_damaged`, `credential_newer`
 */
export async function keysOfPassphrases(options: PassphraseOptions, begins: boolean): Promise<SharedKeys | undefined> {
  const salts = await saltsNow(options);
  if (salts === undefined) return begins ? await begin(options) : undefined;
  const ask = (which: Passphrase) =>
    askUntilRight(options, {
      question: `Passphrase of the ${which} of ${options.engine.label}: `,
      opens: (typed) => materialBy(options.stretch, salts, which, typed),
      nobody: () => sharedKeyMissing(options.engine.label),
      wrong: () => sharedPassphraseWrong(options.engine.label, which),
    });
  const readers = await ask('readers');
  const refreshers = options.isReadOnly ? undefined : await ask('refreshers');
  await remember(options, salts);
  return sharedKeysOf(readers, refreshers, 'passphrase');
}

/** The salts as the engine has them; while it is away, as this machine has used them. */
async function saltsNow(options: PassphraseOptions): Promise<Salts | undefined> {
  const { engine, namespace, signal, saltsPath } = options;
  const used = readIfThere(saltsPath, 4_096);
  const usedText = used && Buffer.from(used.bytes).toString('latin1');
  let entry: EngineEntry | undefined;
  try {
    [entry] = await engine.read([saltsBelow(readableIn(namespace))], signal);
  } catch (error) {
    const kept = usedText === undefined ? undefined : parseSalts(usedText, namespace);
    if (typeof kept !== 'object' || !isFailure(error, 'store_unavailable')) throw error;
    return kept;
  }
  const text = entry && Buffer.from(entry.value).toString('latin1');
  const salts = text === undefined ? undefined : parseSalts(text, namespace);
  if (salts === 'newer') throw sharedItemNewer(engine.label);
  if (usedText !== undefined && text !== usedText) {
    throw saltsChanged(engine.label, saltsPath, text === undefined ? 'gone' : 'changed');
  }
  if (text !== undefined && salts === undefined) throw saltsDamaged(engine.label);
  const others = salts === undefined ? await engine.list(readableIn(namespace), signal) : [];
  if (others.some(isItemName)) throw begunWithKeyFiles(engine.label);
  return salts;
}

/** The first login of a fleet: two passphrases are chosen. */
async function begin(options: PassphraseOptions): Promise<SharedKeys> {
  const { engine, terminal, namespace } = options;
  const nobody = () => sharedKeyMissing(engine.label);
  terminal.tell(`The logins in ${engine.label} are sealed with two passphrases; without them they cannot be opened.`);
  terminal.tell('Choose that of the readers, for every machine, and another one of the refreshers.');
  const readers = await choosePassphrase(options, 'New passphrase of the readers', nobody);
  const chooseOther = () => choosePassphrase(options, 'New passphrase of the refreshers', nobody);
  let refreshers = await chooseOther();
  while (readers.equals(refreshers)) {
    terminal.tell('That is the passphrase of the readers: every machine that reads could refresh. Choose another one.');
    refreshers = await chooseOther();
  }
  const made = await newSalts(options.stretch, namespace, { readers, refreshers });
  const salts = await writtenOnce(options, made.salts);
  if (salts.text === made.salts.text) await remember(options, salts);
  if (salts.text === made.salts.text) return sharedKeysOf(made.readers, made.refreshers, 'passphrase');
  // Another machine has begun it meanwhile.
  const first = await materialBy(options.stretch, salts, 'readers', readers);
  const second = await materialBy(options.stretch, salts, 'refreshers', refreshers);
  if (first === undefined) throw sharedPassphraseWrong(engine.label, 'readers');
  if (second === undefined) throw sharedPassphraseWrong(engine.label, 'refreshers');
  await remember(options, salts);
  return sharedKeysOf(first, second, 'passphrase');
}

/** These salts, or those that another machine has written before. */
async function writtenOnce(options: PassphraseOptions, made: Salts): Promise<Salts> {
  const { engine, namespace, signal } = options;
  const key = saltsBelow(readableIn(namespace));
  let cause: unknown;
  for (let tries = 0; tries < maxUnknown; tries += 1) {
    const puts = [{ key, value: Buffer.from(made.text, 'latin1') }];
    const result = await engine.commit({ onlyIf: [{ key, revision: undefined }], puts, removes: [] }, signal);
    if (result.outcome === 'committed') return made;
    if (result.outcome === 'unknown') ({ cause } = result);
    const there = await saltsNow(options);
    if (there !== undefined) return there;
  }
  throw sharedUncertain(engine.label, cause);
}

async function remember({ saltsPath }: PassphraseOptions, { text }: Salts): Promise<void> {
  try {
    if (readIfThere(saltsPath, 4_096) === undefined) await replacePrivateFile(saltsPath, text);
  } catch {
    // the engine has them
  }
}
