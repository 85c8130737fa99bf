/// An angle, so that degrees and radians can't be mixed up.
///
/// ```swift
/// let quarter = Angle.degrees(90)
/// quarter.radians   // 1.5707964
/// ```
public struct Angle: Equatable, Hashable, Comparable, Sendable {
    /// The angle in radians. Not wrapped: values beyond a full turn are kept.
    public var radians: Float

    /// Creates an angle from radians.
    @inlinable public init(radians: Float) { self.radians = radians }

    /// An angle in radians: `.radians(.pi / 2)`.
    @inlinable public static func radians(_ value: Float) -> Angle { Angle(radians: value) }
    /// An angle in degrees: `.degrees(90)`.
    @inlinable public static func degrees(_ value: Float) -> Angle { Angle(radians: value * (.pi / 180)) }
    /// 0 radians.
    @inlinable public static var zero: Angle { Angle(radians: 0) }

    /// The angle in degrees. Not wrapped.
    @inlinable public var degrees: Float {
        get { radians * (180 / .pi) }
        set { radians = newValue * (.pi / 180) }
    }

    /// The sum; no reduction to a full turn.
    @inlinable public static func + (a: Angle, b: Angle) -> Angle { Angle(radians: a.radians + b.radians) }
    /// The difference; no reduction to a full turn.
    @inlinable public static func - (a: Angle, b: Angle) -> Angle { Angle(radians: a.radians - b.radians) }
    /// The angle times a number.
    @inlinable public static func * (a: Angle, factor: Float) -> Angle { Angle(radians: a.radians * factor) }
    /// The angle divided by a number.
    @inlinable public static func / (a: Angle, factor: Float) -> Angle { Angle(radians: a.radians / factor) }
    /// The opposite angle.
    @inlinable public static prefix func - (a: Angle) -> Angle { Angle(radians: -a.radians) }
    /// Adds an angle; no reduction to a full turn.
    @inlinable public static func += (a: inout Angle, b: Angle) { a.radians += b.radians }
    /// Subtracts an angle; no reduction to a full turn.
    @inlinable public static func -= (a: inout Angle, b: Angle) { a.radians -= b.radians }
    @inlinable public static func < (a: Angle, b: Angle) -> Bool { a.radians < b.radians }
}
