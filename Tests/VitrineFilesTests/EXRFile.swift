/// Builds uncompressed scanline OpenEXR files byte by byte, right or wrong as the test asks.
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

    /// In the order of their names, as the format wants them.
    var channels: [Channel]
    var dataWindow: (Int32, Int32, Int32, Int32)
    var displayWindow: (Int32, Int32, Int32, Int32)
    var chromaticities: [Float] = []
    /// By channel, row by row; missing ones are 0.
    var values: [String: [Float]] = [:]
    var flags: Int32 = 0
    private let width, height: Int

    init(channels: [Channel], width: Int, height: Int) {
        (self.channels, self.width, self.height) = (channels, width, height)
        dataWindow = (0, 0, Int32(width) - 1, Int32(height) - 1)
        displayWindow = dataWindow
    }

    var bytes: [UInt8] {
        var file: [UInt8] = [0x76, 0x2F, 0x31, 0x01] + little(2 | flags)
        file += attribute("channels", "chlist", channels.flatMap(description) + [0])
        if !chromaticities.isEmpty {
            file += attribute("chromaticities", "chromaticities", chromaticities.flatMap { little($0.bitPattern) })
        }
        file += attribute("compression", "compression", [0])
        file += attribute("dataWindow", "box2i", box(dataWindow))
        file += attribute("displayWindow", "box2i", box(displayWindow))
        file += attribute("lineOrder", "lineOrder", [0])
        file += attribute("pixelAspectRatio", "float", little(Float(1).bitPattern))
        file += attribute("screenWindowCenter", "v2f", little(UInt64(0)))
        file += attribute("screenWindowWidth", "float", little(Float(1).bitPattern))
        file.append(0)
        let chunks = (0..<height).map { little(dataWindow.1 + Int32($0)) + counted(scanline($0)) }
        var offset = UInt64(file.count + 8 * height)
        for chunk in chunks {
            file += little(offset)
            offset += UInt64(chunk.count)
        }
        return file + chunks.joined()
    }

    private func scanline(_ y: Int) -> [UInt8] {
        var line: [UInt8] = []
        for channel in channels where y % Int(channel.sampling) == 0 {
            let count = width / Int(channel.sampling)
            for x in 0..<count {
                let value = values[channel.name].map { $0[y / Int(channel.sampling) * count + x] } ?? 0
                switch channel.type {
                case .uint: line += little(UInt32(value))
                case .half: line += little(Float16(value).bitPattern)
                case .float: line += little(value.bitPattern)
                }
            }
        }
        return line
    }

    private func description(_ channel: Channel) -> [UInt8] {
        text(channel.name) + little(channel.type.rawValue) + [0, 0, 0, 0] + little(channel.sampling) + little(channel.sampling)
    }

    private func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] { text(name) + text(type) + counted(value) }
    private func text(_ string: String) -> [UInt8] { Array(string.utf8) + [0] }
    private func counted(_ bytes: [UInt8]) -> [UInt8] { little(Int32(bytes.count)) + bytes }
    private func box(_ box: (Int32, Int32, Int32, Int32)) -> [UInt8] { [box.0, box.1, box.2, box.3].flatMap { little($0) } }
    private func little(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) } }
}
