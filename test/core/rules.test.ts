import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { knownRules, ruleInWords } from '../../src/core/rules.js';
import { repositoryRoot } from '../support/repository.js';

const folder = join(repositoryRoot, 'src');
const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
/** The source files by name. */
const sources = await Promise.all(
  names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
);

/** The ids of rules in string literals of the sources; comments may name them, too. */
function rulesInCode(): readonly string[] {
  const texts = sources.flatMap(([name, text]) => (name === join('core', 'rules.ts') ? [] : text));
  const ids = texts.flatMap((text) => text.match(/'[^'\n]*\bR-\d[^'\n]*'/g) ?? []);
  return [...new Set(ids.flatMap((literal) => literal.match(/\bR-\d+\.\d+[a-z]?\b/g) ?? []))].sort();
}

test('each rule that the code names has a source that people can look up, and no source is left over', () => {
  const inCode = rulesInCode();
  assert.ok(inCode.length > 20, `found ${inCode.length}`);
  assert.deepEqual([...knownRules].sort(), inCode);
});

test('each of them is a row of the rule table', async () => {
  const rules: readonly { readonly id: string }[] = JSON.parse(
    await readFile(join(repositoryRoot, 'test', 'rules', 'rules.json'), 'utf8'),
  );
  for (const id of knownRules)
    assert.ok(
      rules.some((rule) => rule.id === id),
      id,
    );
});

test('people are told a section, never one of our numbers', () => {
  for (const id of knownRules) {
    assert.match(
      ruleInWords(id),
      /^(?:RFC \d+ section [\d.]+|OAuth 2\.1 section [\d.]+|MCP authorization|Client ID Metadata Document draft 00 section [\d.]+), /,
    );
  }
  assert.equal(ruleInWords('R-4.3c'), 'RFC 8414 section 3.3, Authorization Server Metadata Validation');
  assert.equal(ruleInWords('R-5.8g, CIMD section 6.6'), 'Client ID Metadata Document draft 00 section 6.6');
  assert.equal(ruleInWords('R-5.8c, R-5.8d'), 'MCP authorization, Communication Security');
  assert.equal(ruleInWords('RFC 9207 section 2.4'), 'RFC 9207 section 2.4');
});

/** Sections of draft-ietf-oauth-client-id-metadata-document-00 by what they are about. */
const draftSections: Readonly<Record<string, string>> = {
  '3': 'Client Identifier',
  '4': 'Client Information Discovery',
  '4.1': 'Client Metadata',
  '4.3': 'Metadata Discovery Errors',
  '6': 'Security Considerations',
  '6.5': 'Server Side Request Forgery (SSRF) Attacks',
  '6.6': 'Maximum Response Size for Client Metadata Documents',
};

test('a section of the draft that a finding names is one that it has', () => {
  const named = new Set(
    sources.flatMap(([, text]) => [...text.matchAll(/'[^'\n]*\bCIMD section ([\d.]+)'/g)].map(([, at]) => at)),
  );
  assert.ok(named.size > 4);
  for (const section of named) assert.ok(Object.hasOwn(draftSections, section ?? ''), section);
});
