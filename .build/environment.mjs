/** The environment without what of the caller's would change how the program or its tests behave. */
export function cleanEnvironment() {
  const disturbing =
    /^(CI|NODE_.*|POSTERN_(?!ENDURANCE_).*|BROWSER|DISPLAY|WAYLAND_DISPLAY|DBUS_.*|XDG_.*|SSH_.*|GNOME_.*|(https?|all|no)_proxy|SSL_.*|SSLKEYLOGFILE|NO_COLOR|FORCE_COLOR|npm_.*)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !disturbing.test(name)));
}
