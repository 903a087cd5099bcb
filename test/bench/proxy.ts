import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDpopKey } from '../../src/oauth/dpop/key.js';
import { makeHome } from '../support/home.js';
import { startKeyring } from '../support/keyring.js';
import { startProgram } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';

// `node build/test/bench/proxy.js [seconds]`: postern proxy, with a Bearer token and with one that is bound to a key (DPoP),
// against nginx with a fixed header and against no proxy, in turn, before the same nginx as server. Needs nginx and wrk. Numbers of a loaded machine tell ratios at best: beside
// requests per second stands what a request costs the proxy's process in CPU.
const seconds = Number(process.argv[2] ?? '3');
const rounds = 3;
const token = 'token-of-the-bench';
const small =
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a body of about a hundred bytes"}]}}';
const ports = { server: 19_081, nginx: 19_082 };

await using keyring = await startKeyring();
await using home = await makeHome(keyring.env);
const inside = (name: string): string => join(home.path, name);
await mkdir(inside('www/mcp'), { recursive: true });
await writeFile(inside('www/mcp/small'), small);
await writeFile(inside('www/mcp/large'), '');
await truncate(inside('www/mcp/large'), 1_073_741_824);

async function startNginx(name: string, server: string): Promise<ChildProcess> {
  const config = `worker_processes 1; daemon off; user root; pid ${inside(name)}.pid; error_log ${inside(name)}.log crit;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${inside(name)}.b; proxy_temp_path ${inside(name)}.p; fastcgi_temp_path ${inside(name)}.f; uwsgi_temp_path ${inside(name)}.u; scgi_temp_path ${inside(name)}.s; ${server} }`;
  await writeFile(inside(`${name}.conf`), config);
  const child = spawn('nginx', ['-c', inside(`${name}.conf`), '-p', home.path], { stdio: 'inherit' });
  while ((await readFile(`${inside(name)}.pid`, 'utf8').catch(() => '')) === '') await wait(20);
  return child;
}

/** CPU seconds of a process and its children, so far. */
async function cpu(pid: number): Promise<number> {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  let ticks = 0;
  for (const each of [pid, ...stdout.split('\n').filter(Boolean).map(Number)]) {
    const fields = (await readFile(`/proc/${each}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

const upstream = await startNginx(
  'server',
  `server { listen 127.0.0.1:${ports.server}; location / { if ($http_authorization !~ "^(Bearer|DPoP) ${token}$") { return 401; } root ${inside('www')}; } }`,
);
const proxied = await startNginx(
  'proxy',
  `upstream up { server 127.0.0.1:${ports.server}; keepalive 64; keepalive_requests 1000000000; } server { listen 127.0.0.1:${ports.nginx}; location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1:${ports.server}; proxy_set_header Authorization "Bearer ${token}"; proxy_buffering off; } }`,
);
const server = `http://127.0.0.1:${ports.server}/mcp`;
await storeLogin(home, { server, name: 'bench', accessToken: token, expiresAt: null });
await storeLogin(home, {
  server,
  name: 'bound',
  account: 'bound',
  accessToken: token,
  expiresAt: null,
  dpopKey: await makeDpopKey(),
});
await using postern = startProgram(home, ['proxy', 'bench']);
await using proving = startProgram(home, ['proxy', 'bound']);
const [url] = await postern.waitForStdout(/^http:\S+(?=\n)/m);
const [provingUrl] = await proving.waitForStdout(/^http:\S+(?=\n)/m);

const ways = [
  { name: 'no proxy', url: server, pid: upstream.pid ?? 0, header: `Authorization: Bearer ${token}` },
  { name: 'nginx', url: `http://127.0.0.1:${ports.nginx}/mcp`, pid: proxied.pid ?? 0, header: 'X-None: 1' },
  { name: 'postern proxy', url, pid: postern.pid, header: 'X-None: 1' },
  { name: 'with proofs', url: provingUrl, pid: proving.pid, header: 'X-None: 1' },
];
const out = (line: string): void => void process.stdout.write(`${line}\n`);
for (let round = 0; round <= rounds; round += 1) {
  for (const { name, url: base, pid, header } of ways) {
    const before = await cpu(pid);
    const wrk = ['-t1', '-c32', `-d${seconds}s`, '--latency', '-H', header, `${base}/small`];
    const run = spawn('wrk', wrk, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    run.stdout.on('data', (piece: Buffer) => {
      text += String(piece);
    });
    await once(run, 'close');
    const used = (await cpu(pid)) - before;
    const [, count = 'NaN'] = /(\d+) requests in/.exec(text) ?? [];
    const [, rate = 'NaN'] = /Requests\/sec:\s*([\d.]+)/.exec(text) ?? [];
    const [, late = '?'] = /99%\s+(\S+)/.exec(text) ?? [];
    const odd = /Non-2xx.*|Socket errors.*/.exec(text)?.[0] ?? '';
    const each = ((used / Number(count)) * 1e6).toFixed(1);
    if (round > 0) {
      out(
        `${name.padEnd(14)} ${rate.padStart(10)} requests/s  p99 ${late.padStart(9)}  ${each.padStart(6)} µs CPU each ${odd}`,
      );
    }
  }
}
for (let round = 0; round < rounds; round += 1) {
  for (const { name, url: base, pid, header } of ways) {
    const before = await cpu(pid);
    const line = ['-sS', '-o', '/dev/null', '-H', header, '-w', '%{http_code} %{speed_download}', `${base}/large`];
    const { stdout } = spawnSync('curl', line, { encoding: 'utf8' });
    const [status, speed] = stdout.split(' ');
    const used = ((await cpu(pid)) - before).toFixed(2);
    out(`${name.padEnd(14)} 1 GiB: ${(Number(speed) / 1e6).toFixed(0).padStart(6)} MB/s  ${used} s CPU  (${status})`);
  }
}
const status = await readFile(`/proc/${postern.pid}/status`, 'utf8');
out(`postern proxy: ${/VmHWM:\s+(\d+ kB)/.exec(status)?.[1]} at its peak`);
for (const child of [upstream, proxied]) child.kill('SIGTERM');
