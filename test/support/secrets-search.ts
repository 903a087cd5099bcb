import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a secret was found, and in which form. */
export interface Leak {
  /** The name under which the test gave the secret. */
  readonly secret: string;
  readonly where: string;
  readonly form: string;
}

export interface Haystack {
  /** Folders searched with all they hold: contents, file names, targets of symbolic links. */
  readonly folders: readonly string[];
  /** Anything else: what was printed, sent, passed as argument; by name. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Every place in the haystack that holds one of the secrets, each once: plain, URL-encoded, JSON-escaped, in hex,
 * reversed, or in base64 and base64url at any of the three offsets a longer text may give it.
 */
export async function findSecrets(secrets: Readonly<Record<string, string>>, haystack: Haystack): Promise<Leak[]> {
  const needles = Object.entries(secrets).map(([secret, value]) => ({ secret, forms: formsOf(secret, value) }));
  const leaks: Leak[] = [];
  const look = (where: string, text: string): void => {
    for (const { secret, forms } of needles) {
      const found = forms.find(([, needle]) => text.includes(needle));
      if (found) leaks.push({ secret, where, form: found[0] });
    }
  };
  for (const [where, text] of Object.entries(haystack.texts)) look(where, text);
  for (const folder of haystack.folders) {
    for await (const { path, content } of everythingIn(folder)) {
      look(`name of ${path}`, path);
      look(path, content);
    }
  }
  return leaks;
}

function formsOf(secret: string, value: string): [form: string, needle: string][] {
  if (value.length < 8) throw new Error(`${secret} is too short to be searched for`);
  const bytes = Buffer.from(value);
  const forms: [form: string, needle: string][] = [
    ['plain', value],
    ['URL-encoded', encodeURIComponent(value)],
    ['form-encoded', new URLSearchParams({ v: value }).toString().slice(2)],
    ['JSON-escaped', JSON.stringify(value).slice(1, -1)],
    ['hex', bytes.toString('hex')],
    ['reversed', [...value].reverse().join('')],
  ];
  for (const offset of [0, 1, 2]) {
    // The characters that mix in neighbouring bytes are cut off at both ends.
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3));
    const from = offset === 0 ? 0 : 4;
    for (const form of ['base64', 'base64url'] as const) {
      forms.push([`${form} at offset ${offset}`, whole.toString(form).slice(from)]);
    }
  }
  return forms;
}

async function* everythingIn(folder: string): AsyncGenerator<{ path: string; content: string }> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* everythingIn(path);
    else if (entry.isSymbolicLink()) yield { path, content: await readlink(path) };
    else if (entry.isFile()) yield { path, content: (await readFile(path)).toString('latin1') };
    else yield { path, content: '' };
  }
}
