/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that read behind pointers are sleepable if the kernel and the ring allow it: after a
 * failed read they copy a byte of each page by bpf_copy_from_user, and read once more.  Without
 * that a string constant that the program has not touched yet, the usual case in a new process, is
 * unreadable.
 *
 * Arguments that a function fills in are read at the return, when the registers have lost the
 * pointers to them.  So the entry saves these in an array (emit/saved.h), by stack pointer.  If two
 * calls have one stack pointer (a tail call), the later one's return comes first and uses the slot
 * up.  The earlier one finds nothing, which is marked, and never another's.
 */
#include "emit/private.h"
#include "fetch/record.h"

/*
 * The traced program's memory is read by pieces of this size where the kernel wants to know the
 * size beforehand.
 */
enum { CHUNK = 8, PAGE = 4096 };

/*
 * Have the page brought in of the byte that is `more` bytes behind the address in the
 * frame.  r0 = 0 when it is there.
 */
static void touch(struct emitter *e, int more)
{
	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, TOUCHED);
	rt_bpf_mov_imm(e->bpf, R2, 1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, ADDRESS);
	if (more)
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, more);
	rt_bpf_call(e->bpf, RT_FN_copy_from_user);
}

void rt_emit_read_value(struct emitter *e, int base, int to, int size)
{
	int done;

	if (!e->program->sleepable) {
		rt_emit_read(e, base, to, size);
		return;
	}
	done = rt_bpf_label(e->bpf);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, ADDRESS, R3);
	rt_emit_read(e, base, to, size);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, done);
	touch(e, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, done);
	touch(e, size - 1);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, done);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, ADDRESS);
	rt_emit_read(e, base, to, size);
	rt_bpf_place(e->bpf, done);
}

static void call_read_str(struct emitter *e, int at)
{
	rt_bpf_mov(e->bpf, R1, e->base);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, at + (int)sizeof(int32_t));
	rt_bpf_call(e->bpf,
		    e->program->read_user ? RT_FN_probe_read_user_str : RT_FN_probe_read_str);
	rt_bpf_store(e->bpf, RT_BPF_W, e->base, at, R0);
	/*
	 * By the stored length and not by r0: the verifiers of 4.18 to 5.6 and RHEL 7 believe that
	 * the helper never returns a negative number, and put an endless loop (up to 5.0) or
	 * nothing in the place of what is done then.
	 */
	rt_bpf_load(e->bpf, RT_BPF_W, R0, e->base, at);
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R0, 32);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ARSH, R0, 32);
}

/*
 * r2 = the bytes from the string's address to the end of the page; on to `fault` where the string
 * does not go further.
 */
static void rest_of_page(struct emitter *e, const struct rt_fetch *f, int address, int fault)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, address);
	rt_bpf_mov(e->bpf, R1, R3);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, PAGE - 1);
	rt_bpf_mov_imm(e->bpf, R2, PAGE);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R2, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R2, f->max - 1, fault);
}

/* The string could not be read: wait for its first page and read again; for its second one. */
static void retry_str(struct emitter *e, const struct rt_fetch *f, int at, int ok, int fault)
{
	int next = rt_bpf_label(e->bpf);

	touch(e, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, ADDRESS);
	rt_bpf_mov_imm(e->bpf, R2, f->max);
	call_read_str(e, at);
	rt_bpf_jump(e->bpf, RT_BPF_JSGT, R0, -1, ok);
	rest_of_page(e, f, ADDRESS, fault);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R2);
	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, TOUCHED);
	rt_bpf_mov_imm(e->bpf, R2, 1);
	rt_bpf_call(e->bpf, RT_FN_copy_from_user);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, next);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, ADDRESS);
	rt_bpf_mov_imm(e->bpf, R2, f->max);
	call_read_str(e, at);
	rt_bpf_jump(e->bpf, RT_BPF_JSGT, R0, -1, ok);
	rt_bpf_place(e->bpf, next);
}

/*
 * Only as far as the page goes that the string begins in: as bytes, since no NUL is among them, or
 * the whole could have been read.  The length says that there was one.
 */
static void first_page(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int address = e->program->sleepable ? ADDRESS : POINTER;

	rest_of_page(e, f, address, fault);
	rt_bpf_mov(e->bpf, R1, e->base);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, at + (int)sizeof(int32_t));
	rt_bpf_call(e->bpf, RT_FN_probe_read_user);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	rest_of_page(e, f, address, fault);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, 1);
	rt_bpf_store(e->bpf, RT_BPF_W, e->base, at, R2);
}

/*
 * Before 4.11 no helper ends at a NUL: all bytes there is room for, or else as many pieces as can
 * be read.  The reader looks for the NUL.
 */
static void read_str_blindly(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int ok = rt_bpf_label(e->bpf), k;

	rt_bpf_store(e->bpf, RT_BPF_DW, R10, POINTER, R3);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, at, f->max);
	rt_emit_read(e, e->base, at + (int)sizeof(int32_t), f->max);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, ok);
	for (k = 0; k < f->max; k += CHUNK) {
		/* One more than there are: this marks a string without an end. */
		rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, at, k + 1);
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, POINTER);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, k);
		rt_emit_read(e, e->base, at + (int)sizeof(int32_t) + k,
			     f->max - k < CHUNK ? f->max - k : CHUNK);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	}
	rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, at, f->max);
	rt_bpf_place(e->bpf, ok);
}

void rt_emit_string(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int ok;

	if (e->program->no_read_str) {
		read_str_blindly(e, f, at, fault);
		return;
	}
	ok = rt_bpf_label(e->bpf);

	if (e->program->read_user)
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->program->sleepable ? ADDRESS : POINTER, R3);
	rt_bpf_mov_imm(e->bpf, R2, f->max);
	call_read_str(e, at);
	/* "s> -1", because BPF_JSLT is only from 4.14. */
	rt_bpf_jump(e->bpf, RT_BPF_JSGT, R0, -1, ok);
	if (e->program->sleepable)
		retry_str(e, f, at, ok, fault);
	/* Older verifiers want a size that they know. */
	if (e->program->read_user)
		first_page(e, f, at, fault);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, fault);
	rt_bpf_place(e->bpf, ok);
}

/* r2 = what tells how long it is. */
static void load_length(struct emitter *e, const struct rt_fetch *f)
{
	int from = e->record +
		   (int)(offsetof(struct rt_record, data) +
			 rt_plan_offset(e->program->plan, f->length - 1u)) +
		   f->length_offset;

	rt_bpf_load(e->bpf, f->length_size == 4 ? RT_BPF_W : RT_BPF_DW, R2, e->base, from);
	if (f->length_ends) {
		rt_bpf_load(e->bpf, f->length_size == 4 ? RT_BPF_W : RT_BPF_DW, R1, e->base,
			    from - f->length_offset + f->length_begin);
		rt_bpf_alu(e->bpf, RT_BPF_SUB, R2, R1);
	}
	if (f->length_size == 4) {
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R2, 32);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ARSH, R2, 32);
	}
}

void rt_emit_element(struct emitter *e, const struct rt_fetch *f, int none)
{
	int there = rt_bpf_label(e->bpf);

	load_length(e, &e->program->plan->values[f->list - 1u]);
	rt_bpf_jump(e->bpf, RT_BPF_JSGT, R2, f->least, there);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, none);
	rt_bpf_place(e->bpf, there);
}

/* r2 = how many bytes there are, at most f->max. */
static void count_bytes(struct emitter *e, const struct rt_fetch *f)
{
	int32_t most = (f->max + f->element - 1) / f->element, mask = 1;
	int few = rt_bpf_label(e->bpf), fit = rt_bpf_label(e->bpf);

	while (mask < f->max)
		mask = mask << 1 | 1;
	load_length(e, f);
	/* A negative number is none at all. */
	rt_bpf_jump(e->bpf, RT_BPF_JSGT, R2, -1, few);
	rt_bpf_mov_imm(e->bpf, R2, 0);
	rt_bpf_place(e->bpf, few);
	few = rt_bpf_label(e->bpf);
	rt_bpf_mov_imm(e->bpf, R1, most);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, few);
	rt_bpf_mov_imm(e->bpf, R2, f->max);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, fit);
	rt_bpf_place(e->bpf, few);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R2, f->element);
	rt_bpf_place(e->bpf, fit);
	/* It fits already; this is for the verifier. */
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R2, mask);
	fit = rt_bpf_label(e->bpf);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R2, f->max, fit);
	few = rt_bpf_label(e->bpf);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, few);
	rt_bpf_place(e->bpf, fit);
	rt_bpf_mov_imm(e->bpf, R2, f->max);
	rt_bpf_place(e->bpf, few);
}

/*
 * Before 5.5, where the verifier may want to know each size: eight bytes after the other, while
 * there are some left.
 */
static void read_chunks(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int done = rt_bpf_label(e->bpf), k;

	rt_bpf_store(e->bpf, RT_BPF_DW, R10, COUNT, R2);
	for (k = 0; k < f->max; k += CHUNK) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, COUNT);
		rt_bpf_mov_imm(e->bpf, R1, k + 1);
		rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, done);
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, POINTER);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, k);
		rt_emit_read(e, e->base, at + k, f->max - k < CHUNK ? f->max - k : CHUNK);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	}
	rt_bpf_place(e->bpf, done);
}

/* r0 = 0 when the bytes at r3, as many as r2 says, were read; r2 must not be 0. */
static void read_bytes(struct emitter *e, int at)
{
	rt_bpf_mov(e->bpf, R1, e->base);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, at);
	rt_bpf_call(e->bpf, RT_FN_probe_read_user);
}

/* They could not be read: wait for the pages of the first and the last one, and read again. */
static void retry_bytes(struct emitter *e, const struct rt_fetch *f, int at, int done,
			     int fault)
{
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, done);
	touch(e, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	count_bytes(e, f);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, ADDRESS);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R2);
	rt_bpf_alu_imm(e->bpf, RT_BPF_SUB, R3, 1);
	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, TOUCHED);
	rt_bpf_mov_imm(e->bpf, R2, 1);
	rt_bpf_call(e->bpf, RT_FN_copy_from_user);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	count_bytes(e, f);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, ADDRESS);
	read_bytes(e, at);
}

void rt_emit_counted(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int done = rt_bpf_label(e->bpf);

	if (!e->program->read_user) {
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, POINTER, R3);
		count_bytes(e, f);
		read_chunks(e, f, at, fault);
		return;
	}
	if (e->program->sleepable)
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, ADDRESS, R3);
	count_bytes(e, f);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R2, 0, done);
	read_bytes(e, at);
	if (e->program->sleepable)
		retry_bytes(e, f, at, done, fault);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	rt_bpf_place(e->bpf, done);
}

void rt_emit_stack(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int done = rt_bpf_label(e->bpf), pages = (f->max - 1) / PAGE + 1;

	rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, at, f->max);
	rt_emit_read(e, e->base, at + (int)sizeof(int32_t), f->max);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, done);
	/* The stack ends before: at the end of a page. */
	for (; pages; pages--) {
		int next = rt_bpf_label(e->bpf);

		rt_emit_address(e, f, fault);
		rt_bpf_mov(e->bpf, R1, R3);
		rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, PAGE - 1);
		rt_bpf_mov_imm(e->bpf, R2, pages * PAGE);
		rt_bpf_alu(e->bpf, RT_BPF_SUB, R2, R1);
		rt_bpf_jump(e->bpf, RT_BPF_JGT, R2, f->max, next);
		rt_bpf_store(e->bpf, RT_BPF_W, e->base, at, R2);
		rt_bpf_mov(e->bpf, R1, e->base);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, at + (int)sizeof(int32_t));
		rt_bpf_call(e->bpf, RT_FN_probe_read_user);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, done);
		rt_bpf_place(e->bpf, next);
	}
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, fault);
	rt_bpf_place(e->bpf, done);
}
