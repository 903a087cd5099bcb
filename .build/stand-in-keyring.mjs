import { createServer } from 'node:net';

/**
 * Listens as a session bus with an open gnome-keyring that holds one item, so that what the program runs to read it is
 * compiled at the build, on a machine that has neither. It answers what is asked there, and nothing else.
 * @param path Of the socket. @param secret Asked for at each read.
 */
export async function startStandInKeyring(path, secret) {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined).on('data', (piece) => {
      received = Buffer.concat([received, piece]);
      const greeting = received[0] === 0 ? received.indexOf('BEGIN\r\n') + 7 : 0;
      if (greeting > 0) socket.write('OK 0123456789abcdef\r\n');
      received = received.subarray(greeting);
      while (received.length >= 16) {
        const fields = received.readUInt32LE(12);
        const length = aligned(16 + fields) + received.readUInt32LE(4);
        if (received.length < length) break;
        socket.write(returned(received.readUInt32LE(8), answerTo(received.toString('latin1', 16, length), secret)));
        received = received.subarray(length);
      }
    });
  });
  await new Promise((resolve) => server.listen(path, resolve));
  return { close: () => server.close() };
}

const aligned = (at, to = 8) => Math.ceil(at / to) * to;

/** Signature and body of what is returned (D-Bus specification, "Marshaling"). */
function answerTo(call, secret) {
  const names = ['ReadAlias', 'SearchItems', 'GetSecret', 'OpenSession', 'GetNameOwner', 'ListActivatableNames', 'Get'];
  const item = '/org/freedesktop/secrets/collection/login/1';
  switch (names.find((name) => call.includes(`${name}\0`))) {
    case 'ReadAlias':
      return ['o', text('/org/freedesktop/secrets/collection/login')];
    case 'SearchItems':
      return ['aoao', array(text(item), 4), array(Buffer.alloc(0), 4)];
    case 'GetSecret':
      return ['(oayays)', text('/s'), array(Buffer.alloc(0), 1), array(Buffer.from(secret()), 1), text('text/plain')];
    case 'OpenSession':
      return ['vo', variant('s', text('')), text('/s')];
    case 'GetNameOwner':
      return ['s', text(/freedesktop\.secrets|gnome\.keyring/.test(call.slice(call.lastIndexOf('GetNameOwner'))) ? ':1.1' : ':1.9')];
    case 'Get':
      return ['v', variant('b', word(0))];
    case 'ListActivatableNames':
      return ['as', array(Buffer.alloc(0), 4)];
    default:
      return ['s', text(':1.2')];
  }
}

/** The pieces of a value: bytes, and what they are aligned to. */
const word = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return [[bytes, 4]];
};
const text = (value) => [[Buffer.concat([word(Buffer.byteLength(value))[0][0], Buffer.from(`${value}\0`)]), 4]];
const array = (content, to) => {
  const bytes = Buffer.isBuffer(content) ? content : joined(content);
  return [[Buffer.concat([word(bytes.length)[0][0], bytes]), 4, to]];
};
const variant = (type, value) => [[Buffer.from(`\x01${type}\0`, 'latin1'), 1], ...value];

function joined(pieces) {
  return pieces.reduce((bytes, [piece, to]) => Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length, to) - bytes.length), piece]), Buffer.alloc(0));
}

function returned(serial, [signature, ...values]) {
  const body = joined(values.flat());
  const fields = joined([
    [Buffer.concat([Buffer.from([5, 1, 0x75, 0]), word(serial)[0][0]]), 8],
    [Buffer.concat([Buffer.from([8, 1, 0x67, 0, signature.length]), Buffer.from(`${signature}\0`)]), 8],
  ]);
  const head = Buffer.concat([Buffer.from([0x6c, 2, 1, 1]), word(body.length)[0][0], word(1)[0][0], word(fields.length)[0][0], fields]);
  return joined([[head, 1], [body, 8]]);
}
