// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that call, panic and catch for some milliseconds, and count it: torture MILLISECONDS [THREADS]
use std::panic;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

const NAMES: [&str; 7] = ["leaf", "shaky", "result", "option", "deep", "root", "apply"];
#[allow(clippy::declare_interior_mutable_const)]
const ZERO: AtomicI64 = AtomicI64::new(0);
static CALLS: [AtomicI64; 7] = [ZERO; 7];
static LEFT: AtomicI64 = AtomicI64::new(0);
static NOTHING: AtomicI64 = AtomicI64::new(0);

// A call is counted, and its argument is one that the compiler does not know.
fn count(function: usize, n: i64) -> i64 {
    // The kernel probes no instruction with a lock, which a function would else begin with.
    unsafe { std::arch::asm!("nop") };
    CALLS[function].fetch_add(1, Relaxed);
    n + NOTHING.load(Relaxed)
}

struct Guard(i64);

impl Drop for Guard {
    // Called while a panic leaves what is below.
    fn drop(&mut self) {
        leaf(self.0);
    }
}

#[inline(never)]
#[no_mangle]
pub fn leaf(n: i64) -> i64 {
    count(0, n) + 1
}

#[inline(never)]
#[no_mangle]
pub fn shaky(n: i64) -> i64 {
    let n = count(1, n);
    if n % 5 == 0 {
        // Its callers, result and option, are left too.
        LEFT.fetch_add(3, Relaxed);
        panic!("shaky");
    }
    leaf(n) + 1
}

#[inline(never)]
#[no_mangle]
pub fn result(n: i64) -> Result<i64, String> {
    let n = count(2, n);
    let _guard = Guard(n);
    if n % 3 == 0 {
        return Err("third".to_string());
    }
    Ok(shaky(n))
}

#[inline(never)]
#[no_mangle]
pub fn option(n: i64) -> Option<i64> {
    let n = count(3, n);
    result(n).ok().filter(|v| v % 2 == 0)
}

#[inline(never)]
#[no_mangle]
pub fn deep(n: i64) -> i64 {
    let n = count(4, n);
    let v = if n > 0 { deep(n - 1) } else { leaf(n) };
    // Else it becomes a loop, or a jump.
    unsafe { std::arch::asm!("nop") };
    v + 1
}

#[inline(never)]
#[no_mangle]
pub fn apply(n: i64, f: &dyn Fn(i64) -> i64) -> i64 {
    f(count(6, n)) + NOTHING.load(Relaxed)
}

#[inline(never)]
#[no_mangle]
pub fn root(n: i64) -> i64 {
    let n = count(5, n);
    let caught = panic::catch_unwind(|| option(n).unwrap_or(0) + apply(n, &|v| leaf(v) + n));
    let more = if n % 16 == 0 { deep(n / 16 % 100) } else { 0 };
    caught.unwrap_or(-1) + more
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let mut args = std::env::args().skip(1).map(|a| a.parse().unwrap_or(0));
    let end = Instant::now() + Duration::from_millis(args.next().unwrap_or(100));
    let threads: Vec<_> = (0..args.next().unwrap_or(3) as i64)
        .map(|i| {
            thread::spawn(move || {
                let mut n = i;
                let mut sum = 0;
                while Instant::now() < end {
                    sum ^= root(n);
                    n += 1;
                }
                sum
            })
        })
        .collect();
    for t in threads {
        let _ = t.join();
    }
    for (name, calls) in NAMES.iter().zip(&CALLS) {
        println!("{} {}", name, calls.load(Relaxed));
    }
    println!("*jumped 0\n*left {}", LEFT.load(Relaxed));
}
