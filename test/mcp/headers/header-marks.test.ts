import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/core/text/json.js';
import { brokenHeaderMark, headerMarks } from '../../../src/mcp/headers/header-marks.js';
import { ParameterHeaders } from '../../../src/mcp/headers/message-headers.js';
import { anyText } from '../../support/arbitraries.js';

const tool = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: 't',
  inputSchema: { type: 'object', properties, ...more },
});
const marked = (name: JsonValue, type: JsonValue = 'string'): JsonObject => ({ type, 'x-mcp-header': name });

test('[Q-2.9] a mark that breaks a rule is found, and which one it is said', () => {
  const broken: readonly (readonly [JsonObject, RegExp])[] = [
    [tool({ a: marked('') }), /mark of "a" is empty/],
    [tool({ a: marked('My Region') }), /"My Region", is no name of a header/],
    [tool({ a: marked('Region\t1') }), /no name of a header/],
    [tool({ a: marked('R\r\nX-Evil: 1') }), /no name of a header/],
    [tool({ a: marked('Region:') }), /no name of a header/],
    [tool({ a: marked('Région') }), /no name of a header/],
    [tool({ a: marked(3) }), /is no text/],
    [tool({ a: marked(null) }), /is no text/],
    [tool({ a: marked('R', 'number') }), /neither a string, an integer nor a boolean/],
    [tool({ a: marked('R', 'object') }), /neither/],
    [tool({ a: marked('R', 'array') }), /neither/],
    [tool({ a: marked('R', 'null') }), /neither/],
    [tool({ a: marked('R', ['string', 'null']) }), /neither/],
    [tool({ a: { 'x-mcp-header': 'R' } }), /neither/],
    [tool({ a: marked('Region'), b: marked('REGION') }), /two parameters are marked for the header "Mcp-Param-region"/],
    [tool({ a: marked('R'), b: { type: 'object', properties: { c: marked('r') } } }), /two parameters/],
    [tool({ a: { ...marked('R', 'integer'), default: 2 ** 53 } }), /integer beyond/],
    [tool({ a: { ...marked('R', 'integer'), enum: [1, -(2 ** 53)] } }), /integer beyond/],
    [tool({ a: { type: 'array', items: marked('R') } }), /mark of "a.items" stands where/],
    [tool({ a: { anyOf: [marked('R'), { type: 'null' }] } }), /stands where/],
    [tool({}, { $defs: { properties: marked('R') } }), /stands where/],
    [tool({}, { 'x-mcp-header': 'R' }), /the arguments as a whole/],
  ];
  for (const [one, reason] of broken) {
    assert.match(brokenHeaderMark(one) ?? '', reason);
    assert.deepEqual(headerMarks(one), []);
  }
});

test('[Q-2.9] what only looks like a mark breaks nothing', () => {
  const whole: readonly JsonObject[] = [
    { name: 't' },
    { name: 't', inputSchema: true },
    tool({ a: { type: 'string' }, b: true }),
    tool({ 'x-mcp-header': { type: 'number' } }), // a parameter of that name
    tool({ a: { type: 'object', default: { 'x-mcp-header': '' }, examples: [{ 'x-mcp-header': 1 }] } }),
    tool({ a: { const: { 'x-mcp-header': '' } }, b: { enum: [{ 'x-mcp-header': '' }] } }),
    tool({ items: marked('Items'), $defs: marked('Defs'), a: { ...marked('R', 'integer'), maximum: 2 ** 63 } }),
  ];
  for (const one of whole) assert.equal(brokenHeaderMark(one), undefined);
});

const names = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,20}$/);
const types = fc.constantFrom('string', 'integer', 'boolean');
const parameter = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__');
const path = fc.array(parameter, { minLength: 1, maxLength: 5 });

/** A property at the end of a path of properties. */
function nested([first = '', ...rest]: readonly string[], leaf: JsonObject): JsonObject {
  return { [first]: rest.length === 0 ? leaf : { type: 'object', properties: nested(rest, leaf) } };
}

test('[Q-2.8] [Q-2.9] a mark at the end of any chain of properties is whole, and its value is found there', () => {
  fc.assert(
    fc.property(path, names, types, (at, name, type) => {
      const one = tool(nested(at, marked(name, type)));
      assert.equal(brokenHeaderMark(one), undefined);
      assert.deepEqual(headerMarks(one), [{ path: at, name }]);
      const headers = new ParameterHeaders();
      headers.learn([one]);
      const value = { string: 'v', integer: 7, boolean: false }[type] ?? '';
      const given = at.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
      const call = Buffer.from(JSON.stringify({ params: { arguments: given } }));
      assert.deepEqual(headers.headersFor('t', call), [[`mcp-param-${name}`, String(value)]]);
    }),
  );
});

const elsewhere = fc.constantFrom<readonly [string, (mark: JsonObject) => JsonValue]>(
  ...(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const).map(
    (keyword) => [keyword, (mark: JsonObject) => mark] as const,
  ),
  ...(['oneOf', 'anyOf', 'allOf', 'prefixItems'] as const).map(
    (keyword) => [keyword, (mark: JsonObject) => [{}, mark]] as const,
  ),
  ...(['$defs', 'definitions', 'patternProperties', 'dependentSchemas'] as const).map(
    (keyword) => [keyword, (mark: JsonObject) => ({ default: mark })] as const,
  ),
);

test('[Q-2.9] a mark below any other keyword breaks its tool, however deep, whatever properties lead on from there', () => {
  fc.assert(
    fc.property(path, path, elsewhere, names, types, (above, below, [keyword, wrap], name, type) => {
      const inner = { type: 'object', properties: nested(below, marked(name, type)) };
      const one = tool(nested(above, { [keyword]: wrap(inner) }));
      assert.match(brokenHeaderMark(one) ?? '', /stands where "properties" alone does not lead/);
      assert.deepEqual(headerMarks(one), []);
    }),
  );
});

test('[Q-2.9] a reason is one printable line, whatever the server writes, and no schema is too odd to be looked through', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (key, name) => {
      const reason = brokenHeaderMark(tool({ [key]: marked(name) }));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
      assert.doesNotMatch(reason ?? '', /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.ok((reason ?? '').length < 400);
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), (schema) => {
      brokenHeaderMark({ name: 't', inputSchema: schema as JsonValue });
    }),
  );
});
