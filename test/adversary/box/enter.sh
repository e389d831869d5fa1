#!/bin/sh
# Builds a file system of its own and enters it: system folders read-only, a home in memory, own processes, own network.
# Called by `unshare` as root: enter.sh STAGE NODE MODULES [ID]. With an ID it is root of the machine, and the agent gets
# that user id. Without one it is root of a new user namespace. Nothing outside can be reached.
set -e
stage=$1
node=$2
modules=$3
id=${4-}
new=$stage/root
mount --make-rprivate / 2>/dev/null || true
mount -t tmpfs -o mode=0755,size=1g box "$new"
cd "$new"

# bind_read_only FROM TO
bind_read_only() {
  mkdir -p "$2"
  mount --rbind "$1" "$2"
  mount -o remount,bind,ro,nosuid "$2"
}

for name in usr bin sbin lib lib32 lib64 libx32 etc; do
  if [ -L "/$name" ]; then
    ln -s "$(readlink "/$name")" "$name"
  elif [ -d "/$name" ]; then
    bind_read_only "/$name" "$new/$name"
  fi
done
case $node in
  /usr/* | /bin/*) ;;
  *) bind_read_only "$(dirname "$(dirname "$node")")" "$new$(dirname "$(dirname "$node")")" ;;
esac
bind_read_only "$modules" "$new/opt/node_modules"
bind_read_only "$stage/box" "$new/opt/box"
mount --bind "$stage/box/passwd" "$new/etc/passwd"

mkdir -p home/agent tmp var/tmp proc dev dev/pts dev/shm run old mnt srv
chmod 1777 tmp var/tmp dev/shm
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
if mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts 2>/dev/null; then ln -s pts/ptmx dev/ptmx; fi
mount -t proc proc proc
if command -v ip >/dev/null 2>&1; then ip link set lo up; else ifconfig lo up; fi

cp -R "$stage/prefix" home/agent/.local
[ -z "$id" ] || chown -R "$id:$id" home/agent var
pivot_root . old
cd /
umount -l /old
rmdir /old
# Becomes an ordinary user without any capability. As root of the machine this needs no user namespace, so that the
# system's programs belong to root, as on every machine: only then does the launcher ask the daemon with curl.
if [ -n "$id" ]; then
  exec setpriv --reuid="$id" --regid="$id" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
    /usr/bin/env -i "$node" /opt/box/init.mjs
fi
exec unshare --user --map-user=1000 --map-group=1000 /usr/bin/env -i "$node" /opt/box/init.mjs
