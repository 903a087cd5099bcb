import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '../support/repository.js';

export type Schema = Readonly<Record<string, unknown>>;

/** The schemas as they are shipped. */
export const folder = join(repositoryRoot, 'dist', 'schemas');

export async function schemaOf(name: string): Promise<Schema> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
}

/** The same, refusing members that it does not name: for programs that read it more may come. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner;
}

export function assertFits(schema: Schema, text: string, what: string): void {
  const { $id: _id, $schema: _draft, title: _title, schemaVersion: _version, ...plain } = schema;
  const parsed = z.fromJSONSchema(closed(plain) as Parameters<typeof z.fromJSONSchema>[0]).safeParse(JSON.parse(text));
  assert.ok(parsed.success, `${what}: ${text}\n${parsed.error}`);
}
