# Prints its calls, each indented by its level: recursion, methods, an exception, calls from C,
# a thread.  With an argument a TracePoint is enabled.
TracePoint.new(:call, :return) {}.enable unless ARGV.empty?

class Shape
  @@level = 0
  def fib(n)
    puts " " * @@level + "Shape.fib"
    @@level += 1
    n < 2 ? n : fib(n - 1) + fib(n - 2)
  ensure
    @@level -= 1
  end
  def open(n)
    puts " " * @@level + "Shape.open"
    @@level += 1
    raise "locked" if n == 0
    [n].each { |m| open(m - 1) }
  ensure
    @@level -= 1
  end
end
shape = Shape.new
shape.fib(3)
begin
  shape.open(2)
rescue
end
[2, 1].sort_by { |n| shape.fib(n) }
Thread.new { shape.fib(2) }.join
