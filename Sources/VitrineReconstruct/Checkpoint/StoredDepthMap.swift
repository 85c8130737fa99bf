import VitrineDense
import VitrineFiles
import VitrineVision

/// The pixels with a depth, and the lengths of the runs of pixels by turns without and with one: the first run may be empty.
extension DepthMap: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(photo)
        writer.write(camera)
        var (runs, length, isKnown): ([UInt32], UInt32, Bool) = ([], 0, false)
        var known: [Int] = []
        for (pixel, depth) in depths.enumerated() {
            if (depth > 0) != isKnown {
                runs.append(length)
                (length, isKnown) = (0, !isKnown)
            }
            length += 1
            if isKnown { known.append(pixel) }
        }
        writer.write(runs + [length])
        writer.write(known.map { depths[$0] })
        writer.write(known.map { normals[$0] })
        writer.write(known.map { confidences[$0] })
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> DepthMap {
        let (photo, camera) = (try reader.int(), try reader.camera())
        let (runs, depths) = (try reader.array(of: UInt32.self), try reader.array(of: Float.self))
        let (normals, confidences) = (try reader.array(of: UInt32.self), try reader.array(of: UInt8.self))
        // Checked before the map takes memory.
        let pixels = runs.reduce(0) { $0 + Int($1) }
        let known = runs.enumerated().reduce(0) { $0 + ($1.offset % 2 == 1 ? Int($1.element) : 0) }
        let (width, height) = (camera.intrinsics.width, camera.intrinsics.height)
        guard pixels == width * height, pixels <= 1 << 28, depths.count == known, normals.count == known, confidences.count == known,
            depths.allSatisfy({ $0 > 0 && $0.isFinite })
        else { throw DamagedCheckpoint() }
        var map = DepthMap(photo: photo, camera: camera)
        var (pixel, index) = (0, 0)
        for (number, run) in runs.enumerated() {
            if number % 2 == 1 {
                for target in pixel..<pixel + Int(run) {
                    (map.depths[target], map.normals[target], map.confidences[target]) = (depths[index], normals[index], confidences[index])
                    index += 1
                }
            }
            pixel += Int(run)
        }
        return map
    }
}
