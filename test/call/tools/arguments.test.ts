import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { argumentsFor, type Given, needsSchema } from '../../../src/call/tools/arguments.js';
import { signatureOf } from '../../../src/call/tools/signatures.js';
import { readCall } from '../../../src/call/words.js';
import type { JsonObject } from '../../../src/core/text/json.js';
import { anyText } from '../../support/arbitraries.js';
import { isFailure, type ToolSignature } from '../../support/product.js';

const nothing = { readFile: async () => new Uint8Array(), readStdin: async () => new Uint8Array() };

async function givenBy(...words: readonly string[]): Promise<readonly Given[]> {
  return (await readCall(['tool', ...words], nothing)).tool?.given ?? [];
}

function toolOf(inputSchema: object): ToolSignature {
  const [tool] = signatureOf(JSON.parse(JSON.stringify({ name: 'tool', inputSchema })));
  assert.ok(tool);
  return tool;
}

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    n: { type: 'integer' },
    x: { type: 'number' },
    on: { type: 'boolean' },
    either: { type: ['string', 'integer'] },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    any: {},
    list: { type: 'array', items: { type: 'string' } },
    object: { $ref: '#/$defs/Thing' },
    color: { enum: ['red', 'green', 3] },
    self: { $ref: '#/properties/self' },
  },
  required: ['text'],
  $defs: { Thing: { type: 'object' } },
};

const send = async (...words: readonly string[]): Promise<JsonObject> =>
  JSON.parse(JSON.stringify(argumentsFor(toolOf(schema), await givenBy(...words), 'HELP')));

async function refused(code: string, tool: object, ...words: readonly string[]): Promise<string> {
  const given = await givenBy(...words);
  try {
    argumentsFor(toolOf(tool), given, 'HELP');
  } catch (error) {
    assert.ok(isFailure(error, code), String(error));
    assert.equal(error.exit, 2);
    return `${error.message} ${error.remedy}`;
  }
  assert.fail(`not refused: ${words.join(' ')}`);
}

test('text is a number, a truth value or JSON where the schema wants one, and stays text where text is allowed', async () => {
  assert.deepEqual(await send('text=5', 'n=5', 'x=-1.5e3', 'on=TRUE', 'either=5', 'any=5', 'maybe=7'), {
    ...{ text: '5', n: 5, x: -1500, on: true, either: '5', any: '5', maybe: 7 },
  });
  assert.deepEqual(await send('text=', 'maybe=null', 'list=["a"]', 'object={"a":1}', 'color=3', 'self=1'), {
    ...{ text: '', maybe: null, list: ['a'], object: { a: 1 }, color: 3, self: '1' },
  });
  assert.deepEqual(await send('text=a', 'color=red', 'n:="as it is"'), { text: 'a', color: 'red', n: 'as it is' });
});

test('what no type takes is refused, with what it takes', async () => {
  for (const word of ['n=1.5', 'n=x', 'n=', 'x=0x10', 'on=yes', 'list=a', 'object=[1]', 'list=[1']) {
    const said = await refused('value_refused', schema, 'text=a', word);
    assert.match(said, /it takes .*HELP/, word);
  }
  assert.match(await refused('value_refused', schema, 'text=a', 'color=gren'), /red, green, 3\b.* color=green\b/);
});

test('one required parameter may stand alone, and so may the only one', async () => {
  assert.deepEqual(await send('hello world'), { text: 'hello world' });
  assert.deepEqual(await send('n=1', 'https://example.com/?a=b'), { text: 'https://example.com/?a=b', n: 1 });
  const only = toolOf({ properties: { n: { type: 'integer' } } });
  assert.deepEqual({ ...argumentsFor(only, await givenBy('5'), 'HELP') }, { n: 5 });
  assert.match(await refused('argument_unusable', schema, 'one', 'two'), /one, two.*: 'one two'/);
  const url = 'https://example.com/?a=b';
  assert.match(await refused('argument_unusable', schema, url, url), /2 words stand alone/);
  assert.match(await refused('argument_unusable', schema, 'text=a', 'two'), /"two"/);
  assert.match(await refused('argument_unusable', {}, 'one'), /takes no parameters/);
  const two = { properties: { a: {}, b: {} }, required: ['a', 'b'] };
  assert.match(await refused('argument_unusable', two, 'one'), /a=one/);
});

test('an object of the tool’s parameters is not taken for the one value; any other text is', async () => {
  const said = await refused('argument_unusable', schema, '{"text":"a"}');
  assert.match(said, /JSON.* text= .*stdin/);
  for (const text of ['{"other":"a"}', '{}', '{', '[1]']) assert.deepEqual(await send(text), { text });
  assert.deepEqual(await send('text={"text":"a"}'), { text: '{"text":"a"}' });
});

test('a parameter and its value with a colon between them, as others write them, are not taken for the one value', async () => {
  assert.match(
    await refused('argument_unusable', schema, 'text:hello'),
    /"text:hello" .* text=hello; .* text=text:hello/,
  );
  assert.match(await refused('argument_unusable', schema, 'n:5'), / n=5; .* text=n:5/);
  assert.match(await refused('argument_unusable', schema, 'text=a', 'on:true'), / on=true\b/);
  for (const text of ['other:a', 'text://host/a', 'text:', ':a', 'a text:b'])
    assert.deepEqual(await send(text), { text });
});

test('unknown and missing parameters are refused with what was meant; JSON goes as it is', async () => {
  assert.match(
    await refused('parameter_unknown', schema, 'txet=a'),
    /no parameter "txet"\. Did you mean text\? See: HELP/,
  );
  assert.match(await refused('parameter_unknown', schema, 'text=a', 'zzz=1'), /It takes: text, n, x/);
  assert.match(await refused('parameter_missing', schema, 'n=5'), /\btext\b.* text=hello, .*HELP/);
  assert.match(await refused('parameter_missing', schema), /needs the parameter text/);
  assert.deepEqual(await send('text=a', 'more:=1'), { text: 'a', more: 1 });
  const open = toolOf({ properties: { text: {} }, additionalProperties: true });
  assert.deepEqual({ ...argumentsFor(open, await givenBy('other=5'), 'HELP') }, { other: '5' });
});

test('a schema is needed for text and for nothing at all, and for nothing else', async () => {
  assert.equal(needsSchema(await givenBy('a=5')), true);
  assert.equal(needsSchema(await givenBy('a')), true);
  assert.equal(needsSchema([]), true);
  assert.equal(needsSchema(await givenBy('a:=5')), false);
});

test('[A-245] whatever a schema says, an argument is what was typed, or refused; nothing reaches a prototype', async () => {
  const json = fc.jsonValue();
  const properties = fc.dictionary(
    fc.oneof(fc.constantFrom('a', '__proto__', 'constructor'), anyText()),
    fc.oneof(
      json,
      fc.record({ type: fc.constantFrom('string', 'integer', 'array', '__proto__', 'toString') }),
      fc.record({ $ref: fc.constantFrom('#', '#/properties/a', '#/__proto__/x', 'https://evil.invalid/schema') }),
      fc.record({ anyOf: fc.array(fc.oneof(json, fc.constant({ $ref: '#' }))) }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(properties, fc.oneof(json, fc.array(anyText())), anyText(), async (properties, required, text) => {
      const tool = toolOf({ properties, required });
      const given = await givenBy(`a=${text}`, `__proto__=${text}`);
      try {
        const sent = argumentsFor(tool, given, 'HELP');
        assert.ok(Object.hasOwn(sent, '__proto__'));
        if (typeof sent['a'] === 'string') assert.equal(sent['a'], text);
      } catch (error) {
        assert.ok(
          isFailure(error, 'parameter_unknown', 'parameter_missing', 'value_refused', 'argument_unusable'),
          String(error),
        );
      }
      assert.equal(({} as Record<string, unknown>)['a'], undefined);
    }),
    { numRuns: 100 },
  );
});

test('schemas that branch without end, or are large, cost no time', () => {
  const branches = Array.from({ length: 200 }, () => ({ $ref: '#/$defs/again' }));
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { anyOf: branches }]));
  const before = process.cpuUsage().user;
  const tool = toolOf({ properties, $defs: { again: { anyOf: branches } } });
  assert.ok(process.cpuUsage().user - before < 10_000_000, 'all branches would take years');
  assert.equal(tool.parameters.length, 200);
  assert.equal(tool.isOpen, true, 'it has more than are read');
  assert.deepEqual(tool.parameters[0]?.types, []);
});
