/** What an opener and a browser need to find the person's desktop, and nothing more. */
const kept: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TMPDIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'DESKTOP_SESSION',
  'GNOME_DESKTOP_SESSION_ID',
  'KDE_FULL_SESSION',
  'KDE_SESSION_VERSION',
  // Where an editor's remote session opens pages on the person's own machine, through its own BROWSER.
  'VSCODE_IPC_HOOK_CLI',
]);

/** Where the system keeps programs. The caller's PATH, and with it the working directory, is not searched. */
const systemPath = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/snap/bin',
  '/var/lib/flatpak/exports/bin',
  '/run/current-system/sw/bin',
].join(':');

/**
 * The environment that an opener starts with: the desktop's variables, the languages, and a fixed PATH. Tokens,
 * `NODE_OPTIONS` and whatever else the caller holds stay behind.
 */
export function openerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const wanted = Object.entries(env).filter(
    ([name]) =>
      kept.has(name) || ((name.startsWith('XDG_') || name.startsWith('LC_')) && !name.endsWith('_TOKEN')),
  );
  return { ...Object.fromEntries(wanted), PATH: systemPath };
}
