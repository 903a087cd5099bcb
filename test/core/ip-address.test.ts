import assert from 'node:assert/strict';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AddressClass, classifyAddress, parseAddress } from '../../src/core/ip-address.js';

function expectAll(kind: AddressClass, addresses: readonly string[]): void {
  for (const address of addresses) assert.equal(classifyAddress(address), kind, address);
}

test('IPv4 addresses have the class of their range [A-5] [A-6]', () => {
  expectAll('public', ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '126.255.255.255', '223.255.255.255']);
  expectAll('loopback', ['127.0.0.1', '127.255.255.254', '127.0.0.0']);
  expectAll('private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.1.1']);
  expectAll('forbidden', ['0.0.0.0', '0.1.2.3', '169.254.169.254', '224.0.0.1', '239.1.1.1', '255.255.255.255']);
  expectAll('forbidden', ['240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.19.0.1', '192.0.0.8']);
});

test('IPv6 addresses have the class of their range [A-4] [A-5]', () => {
  expectAll('public', ['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888']);
  expectAll('loopback', ['::1', '0:0:0:0:0:0:0:1']);
  expectAll('private', ['fc00::1', 'fd12:3456::1', 'fdff::']);
  expectAll('forbidden', ['::', 'fe80::1', 'febf::1', 'ff02::1', 'fec0::1', '2001:db8::1', '100::1', '4000::1']);
  expectAll('forbidden', ['fd00:ec2::254', 'FD00:0EC2:0:0:0:0:0:0254', '3fff::1', '5f00::1', '2001::1']);
});

test('an IPv6 address that carries an IPv4 address has the class of that one [A-5]', () => {
  const carriers = (v4: string, hex: string): readonly string[] => [
    `::ffff:${v4}`,
    `::ffff:${hex}`,
    `::${v4}`,
    `::ffff:0:${hex}`,
    `64:ff9b::${v4}`,
    `64:ff9b:1::${hex}`,
    `2002:${hex}::1`,
  ];
  expectAll('loopback', carriers('127.0.0.1', '7f00:1'));
  expectAll('private', carriers('10.0.0.1', 'a00:1'));
  expectAll('forbidden', carriers('169.254.169.254', 'a9fe:a9fe'));
  expectAll('public', carriers('8.8.8.8', '808:808'));
  expectAll('forbidden', ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '64:ff9b:1:7f00:0:100::', '64:ff9b:2::1']);
});

test('what is no address is forbidden', () => {
  expectAll('forbidden', [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1 ',
    '1.2.3.4.5',
    '256.1.1.1',
  ]);
  expectAll('forbidden', [
    ':',
    ':::',
    '1::2::3',
    '::1%lo',
    '[::1]',
    '12345::',
    '1:2:3:4:5:6:7',
    '::1.2.3',
    '1.2.3.4::',
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5::6:7:8:9',
  ]);
});

test("the parser takes exactly what node's own takes", () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '7f',
    'ffff',
    '10000',
    '127.0.0.1',
    '1.2.3',
    ':',
    '::',
    '.',
    '255',
    '256',
    '01',
  );
  const noise = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  const grouped = fc.array(part, { minLength: 6, maxLength: 9 }).map((parts) => parts.join(':'));
  const addresses = fc.oneof(noise, grouped, fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string());
  fc.assert(
    fc.property(addresses, (address) => {
      assert.equal(parseAddress(address) !== undefined, isIP(address) !== 0, address);
    }),
    { numRuns: 3000 },
  );
});

test("loopback, private and link-local agree with node's block list", () => {
  const lists: Readonly<Record<string, BlockList>> = { loopback: new BlockList(), private: new BlockList() };
  lists['loopback']?.addSubnet('127.0.0.0', 8);
  lists['loopback']?.addAddress('::1', 'ipv6');
  for (const [net, bits] of [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
  ] as const) {
    lists['private']?.addSubnet(net, bits);
  }
  const byte = fc.constantFrom(0, 1, 10, 15, 16, 31, 32, 63, 64, 100, 127, 128, 168, 172, 192, 254, 255);
  const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
  fc.assert(
    fc.property(fc.oneof(ipv4, fc.ipV4()), (address) => {
      const kind = classifyAddress(address);
      assert.equal(kind === 'loopback', lists['loopback']?.check(address));
      assert.equal(kind === 'private', lists['private']?.check(address));
      assert.equal(classifyAddress(`::ffff:${address}`), kind);
      assert.equal(classifyAddress(`64:ff9b::${address}`), kind);
    }),
    { numRuns: 2000 },
  );
});

test('the class does not depend on the spelling', () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, (values) => {
      const long = values.map((value) => value.toString(16).padStart(4, '0').toUpperCase()).join(':');
      const short = new URL(`https://[${long}]/`).hostname.slice(1, -1);
      assert.ok(isIPv6(short) && !isIPv4(short));
      assert.equal(classifyAddress(short), classifyAddress(long));
    }),
  );
});
