# A server of libvirt's protocol: it wants no authentication, and ends at the second call.
import socket, struct, sys

listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen(1)
listening.settimeout(30)
client, _ = listening.accept()
client.settimeout(30)
stream = client.makefile('rb')
length = struct.unpack('>I', stream.read(4))[0]
program, version, procedure = struct.unpack('>IIi', stream.read(length - 4)[:12])
assert procedure == 66, procedure  # REMOTE_PROC_AUTH_LIST
client.sendall(struct.pack('>IIIiiIiI', 32, program, version, procedure, 1, 0, 0, 0))
stream.read(4)
