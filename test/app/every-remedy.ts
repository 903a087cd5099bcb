import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { Failure } from '../support/product.js';
import { asked, own, samples } from './remedy-samples.js';

export interface Told {
  readonly file: string;
  readonly maker: string;
  readonly remedy: string;
  /** Undefined where the maker makes a text alone. */
  readonly failure: Failure | undefined;
  /** Was it made for the login that somebody has typed with an option? */
  readonly isOfAsked: boolean;
}

/** The remedy of every failure that there is, made with every sample. */
export async function everyRemedy(): Promise<readonly Told[]> {
  const folder = new URL('../../src/', import.meta.url);
  const told: Told[] = [];
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('failures.js'))) {
    const made: Readonly<Record<string, unknown>> = await import(new URL(name, folder).href);
    for (const [maker, make] of Object.entries(made)) {
      if (typeof make !== 'function' || /^class\b/.test(String(make))) continue;
      const file = name.replace('.js', '').replaceAll('\\', '/');
      for (const given of argumentsOf(maker, make)) {
        const about = { file, maker, isOfAsked: given.some(isOfAsked) };
        const result = madeBy(maker, make as (...given: readonly unknown[]) => unknown, given);
        if (result instanceof Failure) told.push({ ...about, remedy: result.remedy, failure: result });
        else if (typeof result === 'string') told.push({ ...about, remedy: result, failure: undefined });
      }
    }
  }
  return told;
}

const isOfAsked = (sample: unknown): boolean => JSON.stringify(sample ?? null).includes(JSON.stringify(asked.given));

function madeBy(maker: string, make: (...given: readonly unknown[]) => unknown, given: readonly unknown[]): unknown {
  try {
    return make(...given);
  } catch (error) {
    throw new Error(`give this test other samples for ${maker} (${String(error)})`);
  }
}

/** Every sample of every parameter once, the others being the first; with the login that was typed, too. */
function argumentsOf(maker: string, make: unknown): readonly (readonly unknown[])[] {
  const inside = /\(([\s\S]*?)\)\s*\{/.exec(String(make))?.[1] ?? '';
  // One that is taken apart has no name: it goes by "0".
  const names = inside
    .replace(/\{[^}]*\}/g, '0')
    .split(',')
    .map((name) => name.replace(/=.*/s, '').trim())
    .filter((name) => name !== '');
  const lists = names.map((name) => {
    const namesNone = !/postern |--[a-z]|loginCommand|loginArgument/.test(String(make));
    const list = own[maker]?.[name] ?? samples[name] ?? (namesNone ? ['x'] : undefined);
    assert.ok(list, `give this test samples for the parameter "${name}" of ${maker}`);
    return list;
  });
  const first = lists.map(([sample]) => sample);
  const ofAsked = lists.map((list) => list.find(isOfAsked) ?? list[0]);
  const each = (usual: readonly unknown[]) => [
    usual,
    ...lists.flatMap((list, at) => list.slice(1).map((sample) => usual.with(at, sample))),
  ];
  return [...each(first), ...(ofAsked.some(isOfAsked) ? each(ofAsked) : [])];
}
