/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <string.h>

#include "stream/statuses.h"
#include "unit.h"

/* A datagram of the connector: nlmsghdr, cn_msg, proc_event. */
struct datagram {
	uint8_t bytes[NLMSG_HDRLEN + sizeof(struct cn_msg) + sizeof(struct proc_event)];
	struct proc_event event;
	struct cb_id id;
};

static void take(struct rt_statuses *s, struct datagram *d, size_t size)
{
	const struct cn_msg msg = { .id = d->id };

	memcpy(d->bytes + NLMSG_HDRLEN, &msg, sizeof(msg));
	memcpy(d->bytes + NLMSG_HDRLEN + sizeof(msg), &d->event, sizeof(d->event));
	rt_statuses_take(s, d->bytes, size);
}

static void test_take(void)
{
	struct rt_statuses *s = rt_statuses_new();
	struct datagram d = { .id = { CN_IDX_PROC, CN_VAL_PROC } };

	CU_ASSERT_FATAL(s != NULL);
	d.event.what = PROC_EVENT_EXIT;
	d.event.event_data.exit.process_pid = d.event.event_data.exit.process_tgid = 70;
	d.event.event_data.exit.exit_code = 3 << 8;
	take(s, &d, sizeof(d.bytes));
	CU_ASSERT_EQUAL(rt_statuses_find(s, 70, 0), 3 << 8);
	/* The last thread's is the process's. */
	d.event.event_data.exit.process_pid = 71;
	d.event.event_data.exit.exit_code = 11;
	take(s, &d, sizeof(d.bytes));
	CU_ASSERT_EQUAL(rt_statuses_find(s, 70, 0), 11);
	CU_ASSERT_EQUAL(rt_statuses_find(s, 71, 0), -1);
	/* Another event, another sender, and a part of one. */
	d.event.event_data.exit.process_tgid = 80;
	d.event.what = PROC_EVENT_FORK;
	take(s, &d, sizeof(d.bytes));
	d.event.what = PROC_EVENT_EXIT;
	d.id.val = CN_VAL_PROC + 1;
	take(s, &d, sizeof(d.bytes));
	d.id.val = CN_VAL_PROC;
	take(s, &d, NLMSG_HDRLEN + sizeof(struct cn_msg) + 8);
	CU_ASSERT_EQUAL(rt_statuses_find(s, 80, 0), -1);
	rt_statuses_close(s);
}

/* Old ones make room. */
static void test_many(void)
{
	enum { MANY = 20000, LAST = 1000 };
	struct rt_statuses *s = rt_statuses_new();
	struct datagram d = { .id = { CN_IDX_PROC, CN_VAL_PROC } };
	int i;

	CU_ASSERT_FATAL(s != NULL);
	d.event.what = PROC_EVENT_EXIT;
	for (i = 1; i <= MANY; i++) {
		d.event.event_data.exit.process_tgid = i;
		d.event.event_data.exit.exit_code = (uint32_t)i & 0xff;
		take(s, &d, sizeof(d.bytes));
	}
	CU_ASSERT_EQUAL(rt_statuses_find(s, 1, 0), -1);
	CU_ASSERT_EQUAL(rt_statuses_find(s, MANY - LAST, 0), (MANY - LAST) & 0xff);
	rt_statuses_close(s);
}

CU_TestInfo rt_tests_statuses[] = {
	{ "take", test_take },
	{ "many", test_many },
	CU_TEST_INFO_NULL,
};
