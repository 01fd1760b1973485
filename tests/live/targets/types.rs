// SPDX-License-Identifier: GPL-2.0-or-later
// Types that Rust has besides C.  Each call is printed before it is made, as rawtrace shows it.
#[allow(dead_code)]
pub enum Shape { Dot, Circle(f64), Rect { w: u32, h: u32 }, Named(String) }
#[allow(dead_code)]
pub enum Color { Red, Green = 5 }
pub struct Point { pub x: i32, pub y: i32 }
pub struct Big { pub a: u64, pub b: u64, pub name: String }

fn keep<T>(x: T) -> T {
    unsafe {
        let r = std::ptr::read_volatile(&x);
        std::mem::forget(x);
        r
    }
}

#[inline(never)]
fn text(a: &str, s: String, r: &String, n: i32) -> usize {
    keep(a.len() + s.len() + r.len() + n as usize)
}

#[inline(never)]
fn lists(v: &[i32], w: Vec<Point>, m: &mut Vec<i64>) -> i32 {
    m.push(4);
    keep(v[0] + w[0].x + w[0].y + m[0] as i32)
}

#[inline(never)]
fn shape(s: &Shape, c: Color, b: bool, n: u8) -> u32 {
    keep(match s {
        Shape::Rect { w, h } => w + h,
        Shape::Circle(_) => 1,
        Shape::Named(s) => s.len() as u32,
        Shape::Dot => 0,
    } + c as u32 + b as u32 + n as u32)
}

#[inline(never)]
fn moved(s: Shape, t: Option<&str>) -> u32 {
    keep(t.map_or(0, |t| t.len() as u32) + match s { Shape::Named(s) => s.len() as u32, _ => 1 })
}

#[inline(never)]
fn large(b: Big, p: &Point, none: Option<&Point>) -> u64 {
    keep(b.a + b.b + b.name.len() as u64 + p.x as u64 + none.map_or(0, |q| q.y as u64))
}

#[derive(Clone, Copy)]
#[allow(dead_code)]
pub enum Wrong { Empty, Invalid }

#[inline(never)]
fn results(o: Option<i32>, none: Option<u64>, r: Result<i32, Wrong>) -> Result<i32, Wrong> {
    keep(match r {
        Ok(n) => Ok(n + o.unwrap_or(0) + none.map_or(1, |x| x as i32)),
        Err(w) => Err(w),
    })
}

#[inline(never)]
fn option(n: i32) -> Option<i32> {
    keep(if n > 1 { Some(n - 1) } else { None })
}

pub trait Area { fn area(&self) -> i32; }
impl Area for Point {
    #[inline(never)]
    fn area(&self) -> i32 { keep(self.x * self.y) }
}

#[inline(never)]
fn dynamic(s: &dyn Area, n: i32) -> i32 {
    keep(s.area() + n)
}

#[inline(never)]
fn pairs(p: Point, w: u128, c: char, b: Box<i64>) -> Point {
    keep(Point { x: p.x + w as i32, y: p.y + c as i32 + *b as i32 })
}

#[inline(never)]
fn arrays(a: [i32; 4], b: &[u8; 3], n: u64) -> u64 {
    keep(a[0] as u64 + b[0] as u64 + n)
}

#[inline(never)]
fn said(n: i32) -> Result<String, String> {
    keep(if n > 0 { Ok("good".to_string()) } else { Err("bad".to_string()) })
}

// Results in memory.
#[inline(never)]
fn array(n: u64) -> [u64; 4] {
    keep([n, n + 1, n + 2, n + 3])
}

// The optimizer knows all of it, and leaves away the arguments and the result.
#[inline(never)]
fn known(a: [u8; 4], n: u8) -> [u8; 4] {
    keep(n);
    a
}

#[inline(never)]
fn written(n: usize) -> String {
    keep("ab".repeat(n))
}

#[inline(never)]
fn maybe(n: usize) -> Option<String> {
    keep(if n > 1 { Some("ab".repeat(n)) } else { None })
}

fn main() {
    let mut m = vec![3i64];
    println!("(types::text \"slice\" \"owned\" \"reference\" 7)");
    text(keep("slice"), "owned".to_string(), &"reference".to_string(), 7);
    println!("(types::lists [1, -2] [{{.x=3, .y=4}}] [3])");
    lists(&[1, -2], vec![Point { x: 3, y: 4 }], &mut m);
    println!("(types::shape Rect{{.w=5, .h=6}} Green true 7)");
    shape(&Shape::Rect { w: 5, h: 6 }, Color::Green, true, 7);
    println!("(types::shape Dot Red false 8)");
    shape(&Shape::Dot, Color::Red, false, 8);
    println!("(types::moved Named(\"text\") Some(\"slice\"))");
    moved(Shape::Named("text".to_string()), keep(Some("slice")));
    println!("(types::large {{.a=1, .b=2, .name=\"big\"}} {{.x=9, .y=10}} None)");
    large(Big { a: 1, b: 2, name: "big".to_string() }, &Point { x: 9, y: 10 }, None);
    println!("(types::results Some(-3) None Ok(7))");
    let _ = results(Some(-3), None, Ok(7));
    println!("(types::results None Some(5) Err(Invalid))");
    let _ = results(None, Some(5), Err(Wrong::Invalid));
    for n in [1, 5] {
        println!("(types::option {})", n);
        option(n);
    }
    println!("(types::pairs {{.x=1, .y=2}} 0x30000000000000004 'é' 5)");
    keep(pairs(Point { x: 1, y: 2 }, 3 << 64 | 4, 'é', Box::new(5)).y);
    println!("(types::arrays [1, 2, 3, 4] [5, 6, 7] 8)");
    arrays([1, 2, 3, 4], &[5, 6, 7], 8);
    for n in [1, 0] {
        println!("(types::said {})", n);
        keep(said(n).is_ok());
    }
    keep(dynamic(&Point { x: 11, y: 12 }, 13));
    keep(known([1, 2, 3, 4], 5)[3]);
    keep(array(1)[0] + written(2).len() as u64);
    keep(maybe(2).is_some() as usize + maybe(1).is_some() as usize);
    keep(Shape::Circle(1.0));
    keep(Shape::Named(String::new()));
}
