// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Passes the restart argument "0 tryboot" to the firmware of a Raspberry Pi, which then reads tryboot.txt at the next start.
 *
 * Raspberry Pi's own kernel does so; Linux of kernel.org, which Debian uses, only informs the firmware of a restart
 * (RPI_FIRMWARE_NOTIFY_REBOOT, at the shutdown of its driver, after this). The flag lasts for one start. Numbers and meaning:
 * the mailbox property interface, "Set reboot flags" (tag 0x00038064, bit 0: tryboot).
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/reboot.h>
#include <linux/string.h>
#include <soc/bcm2835/raspberrypi-firmware.h>

#define SET_REBOOT_FLAGS 0x00038064
#define REBOOT_FLAG_TRYBOOT 1

static int tell_firmware(void)
{
	struct device_node *node = rpi_firmware_find_node();
	struct rpi_firmware *firmware = node ? rpi_firmware_get(node) : NULL;
	u32 flags = REBOOT_FLAG_TRYBOOT;
	int status;

	of_node_put(node);
	if (!firmware)
		return -ENODEV;
	status = rpi_firmware_property(firmware, SET_REBOOT_FLAGS, &flags, sizeof(flags));
	rpi_firmware_put(firmware);
	return status;
}

static int on_reboot(struct notifier_block *block, unsigned long action, void *argument)
{
	int status;

	/* The argument is "PARTITION WORDS": a word of another meaning that only begins so is not ours. */
	if (action != SYS_RESTART || !argument || strcmp(argument, "0 tryboot") != 0)
		return NOTIFY_DONE;
	status = tell_firmware();
	/* The restart goes on: it leads to the system that was good before. */
	if (status)
		pr_err("nvrd_tryboot: the firmware does not take the flag: %d\n", status);
	return NOTIFY_DONE;
}

static struct notifier_block reboot_block = { .notifier_call = on_reboot };

static int __init tryboot_init(void)
{
	struct device_node *node = rpi_firmware_find_node();

	if (!node)
		return -ENODEV;
	of_node_put(node);
	return register_reboot_notifier(&reboot_block);
}

static void __exit tryboot_exit(void)
{
	unregister_reboot_notifier(&reboot_block);
}

module_init(tryboot_init);
module_exit(tryboot_exit);
MODULE_DESCRIPTION("Raspberry Pi: restart with the argument \"0 tryboot\"");
MODULE_AUTHOR("nvrd");
MODULE_LICENSE("Dual MIT/GPL");
