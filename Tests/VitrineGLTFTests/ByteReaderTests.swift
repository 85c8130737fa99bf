import Testing
import VitrineGLTF

@Suite struct ByteReaderTests {
    private struct EndError: Error, Equatable, ByteReaderError {
        let file: String
        let offset: Int
        static func endOfBytes(file: String, offset: Int) -> EndError { EndError(file: file, offset: offset) }
    }

    private let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x00, 0x00, 0x80, 0x3F]

    @Test func numbersFollowTheByteOrder() throws {
        let little = ByteReader<EndError>(bytes, file: "a")
        let big = ByteReader<EndError>(bytes, file: "a", isBigEndian: true)
        #expect(try little.number(UInt16.self, at: 1) == 0x0302 && big.number(UInt16.self, at: 1) == 0x0203)
        #expect(try little.number(Int64.self, at: 0) == 0x3F80_0000_0403_0201 && big.number(UInt32.self, at: 0) == 0x0102_0304)
    }

    @Test func sequentialReadsAdvance() throws {
        var reader = ByteReader<EndError>(bytes, file: "a")
        let (first, next) = (try reader.number(UInt8.self), try reader.slice(2))
        #expect(first == 1 && Array(next) == [2, 3])
        try reader.skip(1)
        #expect(reader.offset == 4 && reader.remaining == 4)
        let float = try reader.float()
        #expect(float == 1 && reader.remaining == 0)
    }

    @Test func readsBeyondTheEndNameTheOffset() {
        var reader = ByteReader<EndError>(bytes, file: "a")
        for offset in [5, 8, 9, -1, .max, .min] {
            #expect(throws: EndError(file: "a", offset: offset)) { try reader.number(UInt32.self, at: offset) }
        }
        for count in [9, -1, .max] {
            #expect(throws: EndError(file: "a", offset: 0)) { try reader.skip(count) }
            #expect(throws: EndError(file: "a", offset: 0)) { try reader.slice(count) }
        }
        #expect(reader.offset == 0)
    }
}
