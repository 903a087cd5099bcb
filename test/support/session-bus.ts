import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Starts `dbus-daemon` at `address`, its files in `folder`.
 *
 * `activation`: it starts the services that are installed on the machine when they are called. `deafPrompter`: it
 * starts a prompter that shows nothing and never answers; its process number is then in `prompter.pid`. `services`: what
 * it starts when it is called by a name, each a program.
 */
export async function startSessionBus(
  folder: string,
  address: string,
  env: NodeJS.ProcessEnv,
  options: {
    readonly activation: boolean;
    readonly deafPrompter: boolean;
    readonly services?: Readonly<Record<string, string>>;
  },
): Promise<AsyncDisposable> {
  const { activation, deafPrompter } = options;
  const config = join(folder, 'bus.conf');
  const standard = activation ? '<standard_session_servicedirs/>' : '';
  const script = `echo $$ >${join(folder, 'prompter.pid')}; exec sleep 300 >/dev/null 2>&1`;
  const prompter = deafPrompter ? { 'org.gnome.keyring.SystemPrompter': `/bin/sh -c "${script}"` } : {};
  const startable = Object.entries({ ...prompter, ...options.services });
  for (const [name, program] of startable) {
    await writeFile(join(folder, `${name}.service`), `[D-BUS Service]\nName=${name}\nExec=${program}\n`);
  }
  const services = startable.length > 0 ? `<servicedir>${folder}</servicedir>` : standard;
  await writeFile(
    config,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>${address}</listen><auth>EXTERNAL</auth>${services}
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`,
  );
  const args = [`--config-file=${config}`, '--nofork', '--print-address=1'];
  // The shell kills the bus when its stdin ends, which it also does when this process is killed.
  const runBus = 'dbus-daemon "$@" </dev/null & cat >/dev/null; kill -9 $!';
  const shell = spawn('sh', ['-c', runBus, 'sh', ...args], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  await once(shell.stdout, 'data'); // it listens
  return {
    [Symbol.asyncDispose]: async () => {
      const exited = once(shell, 'exit');
      shell.stdin.end();
      await exited;
    },
  };
}
