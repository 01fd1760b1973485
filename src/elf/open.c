/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/file.h"

#define X32_NOTE "is an x32 program (32-bit pointers in 64-bit mode), which rawtrace cannot trace"

int rt_image_damaged(const struct rt_image *image, const char *what, struct rt_error *err)
{
	return rt_fail(err, -EBADMSG, "%s: the ELF file is damaged: %s", image->name, what);
}

/* Copy a word of a script's first line, ended by a blank; bytes that a terminal might act on become '?'. */
static const char *copy_word(const char *p, const char *end, char *word, size_t size)
{
	size_t n = 0;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	for (; p < end && !isspace((unsigned char)*p) && *p; p++)
		if (n + 1 < size)
			word[n++] = isprint((unsigned char)*p) ? *p : '?';
	word[n] = '\0';
	return p;
}

static int is_script(const struct rt_image *image, const char *head, size_t n, struct rt_error *err)
{
	const char *end = memchr(head, '\n', n);
	char interp[256], word[256];
	const char *p;

	if (!end)
		end = head + n;
	p = copy_word(head + 2, end, interp, sizeof(interp));
	/* "#!/usr/bin/env python3" and "#!/usr/bin/env -S python3 -u" are scripts for python3. */
	if (strcmp(interp, "/usr/bin/env") == 0 || strcmp(interp, "/bin/env") == 0) {
		do
			p = copy_word(p, end, word, sizeof(word));
		while (word[0] == '-');
		if (word[0])
			memcpy(interp, word, sizeof(interp));
	}
	if (!interp[0])
		return rt_fail(err, -ENOEXEC, "%s: is a script that names no interpreter", image->name);
	return rt_fail(err, -ENOEXEC, "%s: is a script for %s; trace its interpreter: rawtrace %s FUNCTION -- %s",
		       image->name, interp, interp, image->name);
}

static int wrong_machine(const struct rt_image *image, uint16_t machine, bool big_endian, struct rt_error *err)
{
	char theirs[32], ours[32];

	return rt_fail(err, -ENOEXEC, "%s: is %s ELF file for %s, this kernel runs %s", image->name,
		       big_endian ? "a big-endian" : "an", rt_arch_name(machine, theirs, sizeof(theirs)),
		       rt_arch_name(rt_arch_native(), ours, sizeof(ours)));
}

static const char *wrong_type(uint16_t type)
{
	switch (type) {
	case ET_EXEC:
	case ET_DYN:
		return NULL;
	case ET_REL:
		return "is an object file, not a program: link it first";
	case ET_CORE:
		return "is a core dump, not a program";
	default:
		return "is neither a program nor a shared library";
	}
}

static int judge_header(struct rt_image *image, const unsigned char *head, size_t n, struct rt_error *err)
{
	unsigned char cls = head[EI_CLASS], data = head[EI_DATA];
	bool big = data == ELFDATA2MSB;
	uint16_t type, machine;
	const char *why;

	if (n < sizeof(Elf32_Ehdr) || (cls == ELFCLASS64 && n < sizeof(Elf64_Ehdr)))
		return rt_image_damaged(image, "it is shorter than its header", err);
	if ((cls != ELFCLASS32 && cls != ELFCLASS64) || (data != ELFDATA2LSB && data != ELFDATA2MSB) ||
	    head[EI_VERSION] != EV_CURRENT)
		return rt_image_damaged(image, "its header is of an unknown class, byte order or version", err);
	type = (uint16_t)(head[16 + big] | head[17 - big] << 8);
	machine = (uint16_t)(head[18 + big] | head[19 - big] << 8);
	image->arch = rt_arch_of(machine);
	if (big || !image->arch || image->arch->kernel_machine != rt_arch_native())
		return wrong_machine(image, machine, big, err);
	if (machine == EM_X86_64 && cls == ELFCLASS32)
		return rt_fail(err, -ENOEXEC, "%s: " X32_NOTE, image->name);
	if ((cls == ELFCLASS64) != (image->arch->word == 8))
		return rt_image_damaged(image, "its class does not fit its machine", err);
	why = wrong_type(type);
	if (why)
		return rt_fail(err, -ENOEXEC, "%s: %s", image->name, why);
	image->type = type;
	return 0;
}

int rt_image_identify(struct rt_image *image, struct rt_error *err)
{
	unsigned char head[512];
	ssize_t n;

	do
		n = pread(image->fd, head, sizeof(head), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return rt_fail(err, -errno, "%s: cannot be read: %s", image->name, strerror(errno));
	if (n == 0)
		return rt_fail(err, -ENOEXEC, "%s: is an empty file", image->name);
	if (n >= 2 && memcmp(head, "#!", 2) == 0)
		return is_script(image, (const char *)head, (size_t)n, err);
	if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0)
		return rt_fail(err, -ENOEXEC, "%s: is not an ELF file", image->name);
	if (n < EI_NIDENT)
		return rt_image_damaged(image, "it is shorter than its header", err);
	return judge_header(image, head, (size_t)n, err);
}
