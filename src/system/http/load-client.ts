import { setFlagsFromString } from 'node:v8';
import type { Client } from 'undici';

/** 50 times that of V8 11: a process that lives long still gets the optimised parser, some megabytes later. */
const tieringBudget = 100_000_000;

/**
 * Loads undici's connection class. Two things halve what the first request of a process costs: of undici
 * only this one file is loaded, and V8 11 (Node 20) does not begin to optimise undici's HTTP parser
 * (WebAssembly) at the first answer, work that a short process would have to wait for when it ends.
 * Newer V8s wait longer by themselves.
 */
export async function loadClient(): Promise<typeof Client> {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const { default: client } = await import('undici/lib/dispatcher/client.js');
  return client;
}
