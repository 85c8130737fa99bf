/// Builds uncompressed OpenEXR files, in scanlines or tiles, byte by byte, valid or invalid, as the test requires.
struct EXRFile {
    enum SampleType: Int32 { case uint, half, float }

    struct Channel {
        var name: String
        var type: SampleType
        var sampling: Int32

        init(_ name: String, _ type: SampleType = .float, sampling: Int32 = 1) {
            (self.name, self.type, self.sampling) = (name, type, sampling)
        }
    }

    /// The channels in the order of their names, as the format requires.
    var channels: [Channel]
    var dataWindow: (Int32, Int32, Int32, Int32)
    var displayWindow: (Int32, Int32, Int32, Int32)
    var chromaticities: [Float] = []
    /// The values of each channel, row by row; missing ones are 0.
    var values: [String: [Float]] = [:]
    var flags: Int32 = 0
    /// 0 for scanlines.
    var tileSize = 0
    private let width, height: Int

    init(channels: [Channel], width: Int, height: Int) {
        (self.channels, self.width, self.height) = (channels, width, height)
        dataWindow = (0, 0, Int32(width) - 1, Int32(height) - 1)
        displayWindow = dataWindow
    }

    var bytes: [UInt8] {
        let header = header(extra: [])
        let start: [UInt8] = [0x76, 0x2F, 0x31, 0x01] + little(2 | flags | (tileSize > 0 ? 0x200 : 0))
        return start + header + table(chunks, at: start.count + header.count + 8 * chunks.count) + chunks.joined()
    }

    /// Scanline parts in one file; all have the display window of the first, as the format requires.
    static func multipart(_ parts: [(name: String, file: EXRFile)]) -> [UInt8] {
        var file: [UInt8] = [0x76, 0x2F, 0x31, 0x01] + little(Int32(2 | 0x1000))
        for (name, part) in parts {
            var part = part
            part.displayWindow = parts[0].file.displayWindow
            let extra =
                attribute("chunkCount", "int", little(Int32(part.height))) + attribute("name", "string", Array(name.utf8))
                + attribute("type", "string", Array("scanlineimage".utf8))
            file += part.header(extra: extra)
        }
        file.append(0)
        // Each chunk states its part.
        let chunks = parts.enumerated().map { index, part in part.file.chunks.map { little(Int32(index)) + $0 } }
        var offset = file.count + chunks.reduce(0) { $0 + 8 * $1.count }
        for (part, chunks) in zip(parts, chunks) {
            file += part.file.table(chunks, at: offset)
            offset += chunks.reduce(0) { $0 + $1.count }
        }
        return file + chunks.joined().joined()
    }

    private func header(extra: [UInt8]) -> [UInt8] {
        var header = Self.attribute("channels", "chlist", channels.flatMap(description) + [0])
        if !chromaticities.isEmpty {
            header += Self.attribute("chromaticities", "chromaticities", chromaticities.flatMap { Self.little($0.bitPattern) })
        }
        header += Self.attribute("compression", "compression", [0])
        header += Self.attribute("dataWindow", "box2i", box(dataWindow))
        header += Self.attribute("displayWindow", "box2i", box(displayWindow))
        header += Self.attribute("lineOrder", "lineOrder", [0])
        header += Self.attribute("pixelAspectRatio", "float", Self.little(Float(1).bitPattern))
        header += Self.attribute("screenWindowCenter", "v2f", Self.little(UInt64(0)))
        header += Self.attribute("screenWindowWidth", "float", Self.little(Float(1).bitPattern))
        if tileSize > 0 {
            header += Self.attribute("tiles", "tiledesc", Self.little(UInt32(tileSize)) + Self.little(UInt32(tileSize)) + [0])
        }
        return header + extra + [0]
    }

    private func table(_ chunks: [[UInt8]], at first: Int) -> [UInt8] {
        var offset = UInt64(first)
        return chunks.flatMap { chunk in
            defer { offset += UInt64(chunk.count) }
            return little(offset)
        }
    }

    private var chunks: [[UInt8]] {
        if tileSize == 0 { return (0..<height).map { little(dataWindow.1 + Int32($0)) + counted(samples($0..<($0 + 1), 0..<width)) } }
        var tiles: [[UInt8]] = []
        for y in stride(from: 0, to: height, by: tileSize) {
            for x in stride(from: 0, to: width, by: tileSize) {
                let header = little(Int32(x / tileSize)) + little(Int32(y / tileSize)) + little(UInt64(0))
                tiles.append(header + counted(samples(y..<min(y + tileSize, height), x..<min(x + tileSize, width))))
            }
        }
        return tiles
    }

    /// Row by row, channel by channel. Tiles contain no subsampled channels.
    private func samples(_ rows: Range<Int>, _ columns: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in rows {
            for channel in channels where y % Int(channel.sampling) == 0 {
                let sampling = Int(channel.sampling)
                for x in (columns.lowerBound / sampling)..<(columns.upperBound / sampling) {
                    let value = values[channel.name].map { $0[y / sampling * (width / sampling) + x] } ?? 0
                    switch channel.type {
                    case .uint: bytes += little(UInt32(value))
                    case .half: bytes += little(Float16(value).bitPattern)
                    case .float: bytes += little(value.bitPattern)
                    }
                }
            }
        }
        return bytes
    }

    private func description(_ channel: Channel) -> [UInt8] {
        text(channel.name) + little(channel.type.rawValue) + [0, 0, 0, 0] + little(channel.sampling) + little(channel.sampling)
    }

    private func box(_ box: (Int32, Int32, Int32, Int32)) -> [UInt8] { [box.0, box.1, box.2, box.3].flatMap { little($0) } }
    private func text(_ string: String) -> [UInt8] { Self.text(string) }
    private func counted(_ bytes: [UInt8]) -> [UInt8] { Self.counted(bytes) }
    private func little(_ value: some FixedWidthInteger) -> [UInt8] { Self.little(value) }

    private static func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] { text(name) + text(type) + counted(value) }
    private static func text(_ string: String) -> [UInt8] { Array(string.utf8) + [0] }
    private static func counted(_ bytes: [UInt8]) -> [UInt8] { little(Int32(bytes.count)) + bytes }
    private static func little(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) } }
}
