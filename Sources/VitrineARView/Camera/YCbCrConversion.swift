import VitrineAR
import VitrineMath

/// The conversion from YCbCr to encoded RGB, 0…1.
///
/// `rgb = matrix * (ycbcr - offset)`, where `ycbcr` is what an 8-bit texture reads: level / 255.
package struct YCbCrConversion: Equatable, Sendable {
    /// The matrix that converts Y, Cb and Cr to red, green and blue; its columns are the contributions of Y, Cb and Cr.
    package var matrix: Matrix3
    /// The Y of black, and the Cb and Cr of grey.
    package var offset: Vector3

    /// ITU-R BT.601-7 and BT.709-6: Y = Kr R + Kg G + Kb B, Cb = (B − Y) / (2 − 2 Kb), Cr = (R − Y) / (2 − 2 Kr). Full range has levels 0…255
    /// (as JFIF has), video range 16…235 for Y and 16…240 for the differences, whose 0 is level 128 in both.
    package init(_ matrix: CapturedImage.Matrix, _ range: CapturedImage.Range) {
        let (kr, kb): (Float, Float) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let kg = 1 - kr - kb
        let (luma, chroma): (Float, Float) = range == .full ? (1, 1) : (255 / 219, 255 / 224)
        self.matrix = Matrix3(
            Vector3(repeating: luma), Vector3(0, -2 * kb * (1 - kb) / kg, 2 * (1 - kb)) * chroma,
            Vector3(2 * (1 - kr), -2 * kr * (1 - kr) / kg, 0) * chroma)
        offset = Vector3(range == .full ? 0 : 16 / 255, 128 / 255, 128 / 255)
    }

    /// The encoded colour of three levels, held to 0…1.
    package func color(y: UInt8, cb: UInt8, cr: UInt8) -> Vector3 {
        let color = matrix * (Vector3(Float(y), Float(cb), Float(cr)) / 255 - offset)
        return color.clamped(lowerBound: .zero, upperBound: Vector3(repeating: 1))
    }
}

extension CapturedImage {
    /// The conversion of the image's values to red, green and blue.
    package var conversion: YCbCrConversion { YCbCrConversion(matrix, range) }
}
