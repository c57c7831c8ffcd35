import JSON
import Testing

struct JSONTextReadingTests {
  @Test func readsStrings() {
    #expect(JSONText.string(of: slice(#""a\u00e9b""#)) == "aéb")
    #expect(JSONText.string(of: slice(#""""#)) == "")
    for raw in ["", "\"", "1", "null", "\"a\"b\"", "\"a", #""\ud800""#, #""\x""#] {
      #expect(JSONText.string(of: slice(raw)) == nil, "\(raw)")
    }
  }

  @Test func comparesWithLiterals() {
    #expect(JSONText.equals(slice("\"type\""), "type"))
    #expect(JSONText.equals(slice(#""ty\u0070e""#), "type"))
    #expect(JSONText.equals(slice("\"\""), ""))
    for raw in ["", "\"", "type", "\"typ\"", "\"typo\"", "\"types\"", "\"type", #""typ\u0061""#, "\"type\\\""] {
      #expect(!JSONText.equals(slice(raw), "type"), "\(raw)")
    }
  }

  @Test func readsIntegers() {
    #expect(JSONText.integer(of: slice("0")) == 0)
    #expect(JSONText.integer(of: slice("-9223372036854775808")) == .min)
    #expect(JSONText.integer(of: slice("9223372036854775807")) == .max)
    #expect(JSONText.integer(of: slice("2.0")) == 2)
    #expect(JSONText.integer(of: slice("2e3")) == 2000)
    for raw in ["", "-", "01", "1.5", "9223372036854775808", "1e99", "\"1\"", "1 ", "true", "1e999"] {
      #expect(JSONText.integer(of: slice(raw)) == nil, "\(raw)")
    }
  }

  @Test func readsOtherValues() {
    #expect(JSONText.double(of: slice("1.5")) == 1.5)
    #expect(JSONText.double(of: slice("2")) == 2)
    #expect(JSONText.double(of: slice("x")) == nil)
    #expect(JSONText.bool(of: slice("true")) == true)
    #expect(JSONText.bool(of: slice("false")) == false)
    #expect(JSONText.bool(of: slice("null")) == nil)
    #expect(JSONText.value(of: slice("[1]")) == [1])
    #expect(JSONText.value(of: slice("[1")) == nil)
  }

  private func slice(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
}
