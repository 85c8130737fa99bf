import VitrineTracking
import VitrineVision

/// Parses a camera in two lines of text: `[RadTan|EquiDistant] fx fy cx cy [k1 k2 p1 p2]`, then `width height`.
///
/// The text has pixel centres at integers, Vitrine at half-integers: the principal point is shifted by half a pixel.
enum CameraText {
    static func camera(_ files: ImportFiles, _ name: String) throws(SourceError) -> CameraIntrinsics {
        var rows: [FieldTable.Row] = []
        try FieldTable.forEachRow(files.directory.appendingPathComponent(name), name: name) { row throws(SourceError) in
            guard rows.count < 16 else { throw .broken("\(name):\(row.line): more lines than a camera has") }
            rows.append(row)
        }
        guard rows.count >= 2 else { throw .broken("\(name): two lines are required: focal lengths and principal point, then the size") }
        let word = NumberText.double(rows[0].fields[0]) == nil ? rows[0].text(0) : nil
        let numbers = (word == nil ? 0..<rows[0].fields.count : 1..<rows[0].fields.count).map { rows[0].number($0) }
        let size = rows[1].fields.indices.map { rows[1].number($0) }
        guard numbers.count >= 4, size.count == 2, let width = Int(exactly: size[0]), let height = Int(exactly: size[1]) else {
            throw .broken("\(name):\(rows[0].line): not fx fy cx cy, and width height below")
        }
        let camera = CameraIntrinsics(
            width: width, height: height, focal: Vector2d(numbers[0], numbers[1]), center: Vector2d(numbers[2] + 0.5, numbers[3] + 0.5),
            distortion: try lens(word, Array(numbers.dropFirst(4)), location: "\(name):\(rows[0].line)"))
        guard camera.isPossible else { throw .broken("\(name):\(rows[0].line): a camera that is not valid") }
        return camera
    }

    private static func lens(_ word: String?, _ k: [Double], location: String) throws(SourceError) -> LensDistortion {
        let isStraight = k.allSatisfy { $0 == 0 }
        guard isStraight || k.count == 4 else { throw .broken("\(location): a distortion of \(k.count) numbers is not supported: 4 are") }
        let coefficients = isStraight ? SIMD4<Double>.zero : SIMD4(k[0], k[1], k[2], k[3])
        guard let word, word.lowercased() != "pinhole" else { return .brownConrady(coefficients) }
        guard let projection = LensDistortion.Projection(calibrationName: word) else {
            throw .broken("\(location): the lens '\(word)' is not supported: RadTan and EquiDistant are")
        }
        return LensDistortion(projection, fourCoefficients: coefficients)
    }
}
